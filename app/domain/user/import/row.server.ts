import { z } from "zod";
import { checkStoredHash } from "#app/domain/password/stored-hash.server.ts";
import { newUserSchema } from "#app/domain/user/add.server.ts";
import { ADDRESS_MEMBERS } from "#app/domain/user/profile.ts";
import { parseUsername } from "#app/domain/username/canonical.ts";

/** A row as in the file, by field name. Absent fields are left unchanged. `problem`: why the row cannot be read. */
export type RawRow = { line: number; fields: Readonly<Record<string, unknown>>; problem?: string };

/** A valid row. `canonical` is the normalised user name; `presentFields` lists the fields present in the file. */
export type ImportRow = { line: number; canonical: string; presentFields: ReadonlySet<string> } & RowFields;

type RowFields = z.output<typeof rowSchema>;

/**
 * A problem in the file. `line` counts from 1. `problem` is the sentence of the command; `reason` is its kind, which pages
 * translate.
 */
export type RowProblem = { line: number; problem: string; reason: RowReason };

/** Kinds of problems. `field`: a field of the row, in which `value` stands. */
export type RowReason =
  | { kind: "missing" | "invalid"; field: string }
  | { kind: "unknown group"; value: string }
  | { kind: "duplicate"; firstLine: number }
  | {
      kind:
        | "cells"
        | "too many groups"
        | "exists"
        | "no address"
        | "name is an address"
        | "reserved"
        | "address is a name"
        | "account in use"
        | "last administrator";
    }
  | { kind: "own account" };

const { displayName, givenName, familyName, email, phone, picture, address, locale, permissions } = newUserSchema.shape;

/** Messages of a refused `password_hash`. None contains the hash. */
export const HASH_PROBLEMS = {
  "unknown form": "is not a supported hash (argon2, bcrypt or scrypt)",
  "too costly": "exceeds the maximum cost (see user import --help)",
  "no password matches": "has parameters that its algorithm does not allow, so that no password matches",
  "too short or too long": "contains fewer than 16 or more than 64 bytes, or a salt that is too long",
  "refused by the library": "has parameters with which it cannot be verified",
} as const;

const NOT_NAMES = 'is no list of names: separate them by ; and write a name that contains ; or " as "…", with "" for "';

const NOT_BOOLEAN = "is neither true, yes, 1, wahr or ja, nor false, no, 0, falsch or nein";

const rowSchema = z.strictObject({
  username: z.string(),
  display_name: displayName,
  given_name: givenName,
  family_name: familyName,
  email,
  email_verified: z.boolean({ error: NOT_BOOLEAN }).default(false),
  phone,
  picture,
  address,
  group: z.string().nullable().default(null),
  groups: z.array(z.string(), { error: NOT_NAMES }).default([]),
  permissions,
  locale,
  status: z.enum(["active", "blocked"], { error: "is neither active nor blocked" }).default("active"),
  password_hash: z
    .string()
    .superRefine((hash, issues) => {
      const problem = checkStoredHash(hash);
      if (problem) issues.addIssue({ code: "custom", message: HASH_PROBLEMS[problem] });
    })
    .nullable()
    .default(null),
});

/** Allowed fields. `username` and `display_name` are required. */
const IMPORT_FIELDS: readonly string[] = Object.keys(rowSchema.shape);

/** Allowed fields in CSV: `address.locality` and the like instead of `address`. */
export const CSV_FIELDS: readonly string[] = IMPORT_FIELDS.flatMap((field) =>
  field === "address" ? ADDRESS_MEMBERS.map((member) => `address.${member}`) : [field],
);

/** Parses a row, or returns all its problems. */
export function parseRow({ line, fields, problem }: RawRow): { row: ImportRow } | { problems: RowProblem[] } {
  if (problem !== undefined) return { problems: [{ line, problem: `row: ${problem}`, reason: { kind: "cells" } }] };
  const parsed = rowSchema.safeParse(fields);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }): RowProblem => {
      const [field = "row"] = path.map(String);
      const kind = fields[field] === undefined ? "missing" : "invalid";
      return { line, problem: `${path.join(".") || "row"}: ${message}`, reason: { kind, field } };
    });
    return { problems };
  }
  const name = parseUsername(parsed.data.username);
  if (!name.ok) {
    const reason = { kind: "invalid", field: "username" } as const;
    return { problems: [{ line, problem: "username: is not a valid user name", reason }] };
  }
  const presentFields = new Set(Object.keys(fields));
  return { row: { ...parsed.data, line, presentFields, username: name.username, canonical: name.canonical } };
}
