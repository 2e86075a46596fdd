import type { TFunction } from "i18next";
import { type FileProblem, ImportFileError } from "#app/domain/user/import/file-error.ts";
import type { RowReason } from "#app/domain/user/import/row.server.ts";
import type { Administration } from "#app/http/administration.server.ts";

/** Returns the owner of the files that this administrator uploads in this browser. */
export function ownerOf({ administrator: { userId, generation }, context: { browser } }: Administration) {
  return { userId, generation, browser };
}

/** Returns the sentence for a file that cannot be read; throws any other error. */
export function fileErrorText(t: TFunction, error: unknown): string {
  if (!(error instanceof ImportFileError)) throw error;
  return problemText(t, error.problem);
}

function problemText(t: TFunction, problem: FileProblem): string {
  switch (problem.kind) {
    case "encoding":
      return t("adminImport.file.encoding");
    case "json":
    case "json shape":
    case "csv":
      return t("adminImport.file.noTable");
    case "empty":
      return t("adminImport.file.empty");
    case "quote":
      return t("adminImport.file.quote", { line: problem.line });
    case "fields": {
      const { unnamed, unknown, missing, twice } = problem;
      if (missing.length > 0) return t("adminImport.file.missing", { names: missing.join(", ") });
      if (unknown.length > 0) return t("adminImport.file.unknown", { names: unknown.join(", ") });
      if (twice.length > 0) return t("adminImport.file.twice", { names: twice.join(", ") });
      return t("adminImport.file.unnamed", { columns: unnamed.join(", ") });
    }
  }
}

/** Returns the sentence for a problem of a row. */
export function rowProblemText(t: TFunction, reason: RowReason): string {
  switch (reason.kind) {
    case "missing":
      return t("adminImport.row.missing", { field: reason.field });
    case "invalid":
      if (reason.field === "username") return t("adminImport.row.invalidUsername");
      return t("adminImport.row.invalid", { field: reason.field });
    case "unknown group":
      return t("adminImport.row.unknownGroup", { name: reason.value });
    case "duplicate":
      return t("adminImport.row.duplicate", { line: reason.firstLine });
    case "cells":
      return t("adminImport.row.cells");
    case "too many groups":
      return t("adminImport.row.tooManyGroups");
    case "no address":
      return t("adminImport.row.noAddress");
    case "reserved":
      return t("adminImport.row.reserved");
    case "name is an address":
      return t("adminImport.row.nameIsAddress");
    case "address is a name":
      return t("adminImport.row.addressIsName");
    case "account in use":
      return t("adminImport.row.accountInUse");
    case "last administrator":
      return t("adminImport.row.lastAdministrator");
    case "own account":
      return t("adminImport.row.ownAccount");
    case "exists":
      return t("adminImport.row.exists");
  }
}
