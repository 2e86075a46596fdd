import { DomainError, type ErrorCode } from "#app/domain/base/errors.ts";
import type { NewGroupInput } from "#app/domain/group/add.server.ts";
import type { GroupView } from "#app/domain/group/list.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import type { Problem } from "#app/ui/error-summary.tsx";
import type { GroupValues } from "./group-form.tsx";

const fields = { name: text(), description: text(), contact: text(), require_mfa: text(), is_default: text() };

/** A stored group, as far as its form shows it. */
type StoredGroup = Pick<GroupView, "name" | "description" | "contact" | "requireMfa" | "isDefault">;

/** The form of a new group. */
export const addForm = defineForm(fields);

/** The form of an existing group. `seen`: version of the group that the page showed. */
export const editForm = defineForm({ ...fields, seen: text() });

/** Returns the posted values of a group's form. */
export function postedValues(posted: (name: keyof typeof fields) => string): GroupValues {
  return {
    ...{ name: posted("name"), description: posted("description"), contact: posted("contact") },
    ...{ requireMfa: posted("require_mfa") === "yes", isDefault: posted("is_default") === "yes" },
  };
}

/** Returns the stored values of a group for its form. */
export function storedValues({ name, description, contact, requireMfa, isDefault }: StoredGroup): GroupValues {
  return { name, description: description ?? "", contact: contact ?? "", requireMfa, isDefault };
}

/** Returns the values of a form as input of the domain; an empty line is no line. */
export function inputOf({ name, description, contact, requireMfa, isDefault }: GroupValues): NewGroupInput {
  const lineOf = (line: string) => (line.trim() === "" ? null : line);
  return { name, requireMfa, isDefault, description: lineOf(description), contact: lineOf(contact) };
}

/** The refusal of a group's form: the error code, and the fields at which it is shown. */
export type Refused = { code: ErrorCode; fields: readonly string[] };

/** Returns how the domain refused a form; throws any other error, and the page of an unknown URL for a removed group. */
export function refusedBy(error: unknown): Refused {
  if (!(error instanceof DomainError)) throw error;
  const { code, fields } = error;
  switch (code) {
    case "group not found":
      throw refusal(404, "page_not_found");
    case "group is invalid":
      return { code, fields };
    case "group not available":
      return { code, fields: ["name"] };
    case "too many groups":
      return { code, fields: ["isDefault"] };
    case "group changed":
      return { code, fields: [] };
    default:
      throw error;
  }
}

/** The texts of a refused form: one sentence for each field, or one for the form as a whole. */
type ProblemTexts = Readonly<Record<"expired" | "changed" | "taken" | "tooManyDefaults", string>> & {
  invalid: Readonly<Record<string, string>>;
};

/** Returns the sentences of a refused form. */
export function problemsOf({ code, fields: wrong }: Refused, texts: ProblemTexts): Problem[] {
  switch (code) {
    case "xsrf":
      return [{ text: texts.expired }];
    case "group changed":
      return [{ text: texts.changed }];
    case "group not available":
      return [{ text: texts.taken, field: "name" }];
    case "too many groups":
      return [{ text: texts.tooManyDefaults, field: "isDefault" }];
    default:
      return wrong.flatMap((field) => {
        const sentence = texts.invalid[field];
        return sentence === undefined ? [] : [{ text: sentence, field }];
      });
  }
}
