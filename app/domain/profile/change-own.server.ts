import { lockGeneration } from "#app/db/repositories/user-generation.server.ts";
import { updateUserProfile } from "#app/db/repositories/users.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { type Done, isFresh, type NotAllowed, type SettingsAccess } from "#app/domain/access/access.ts";
import { recordSettings } from "#app/domain/access/record.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { lineSchema } from "#app/domain/base/line-schema.ts";
import type { RequestMetadata } from "#app/ports.ts";

/** The names of a user, as typed. Given and family name may be empty. */
export type TypedNames = { displayName: string; givenName: string; familyName: string };

/** Codes of refused names, by field. */
export type NameProblems = { [Field in keyof TypedNames]?: "name is empty" | "name is invalid" };

/** Result of `changeName`. */
type NameChange = Done | NotAllowed | { kind: "refused"; problems: NameProblems };

const nameSchema = lineSchema(200);

/**
 * Changes the names of the user in the settings. Clients receive them at their next request; sessions and links stay.
 */
export async function changeName(
  context: AuditDeps,
  access: SettingsAccess,
  input: RequestMetadata & TypedNames,
): Promise<NameChange> {
  const displayName = parseOptional(nameSchema, input.displayName);
  const givenName = parseOptional(nameSchema, input.givenName);
  const familyName = parseOptional(nameSchema, input.familyName);
  if (!displayName || givenName === undefined || familyName === undefined) {
    const problems: NameProblems = {};
    if (!displayName) problems.displayName = displayName === null ? "name is empty" : "name is invalid";
    if (givenName === undefined) problems.givenName = "name is invalid";
    if (familyName === undefined) problems.familyName = "name is invalid";
    return { kind: "refused", problems };
  }
  return store(context, access, input, { displayName, givenName, familyName });
}

/** Result of `changePhone`. */
type PhoneChange = Done | NotAllowed | { kind: "refused"; code: "phone is invalid" };

/** Changes the telephone number of the user in the settings, as `changeName`; an empty one is removed. */
export async function changePhone(
  context: AuditDeps,
  access: SettingsAccess,
  input: RequestMetadata & { phone: string },
): Promise<PhoneChange> {
  const phone = parseOptional(lineSchema(50), input.phone);
  return phone === undefined ? { kind: "refused", code: "phone is invalid" } : store(context, access, input, { phone });
}

/** Returns the text in its stored form; null if it is blank, undefined if it is invalid. */
function parseOptional(schema: ReturnType<typeof lineSchema>, typed: string): string | null | undefined {
  return typed.trim() === "" ? null : schema.safeParse(typed).data;
}

async function store(
  context: AuditDeps,
  access: SettingsAccess,
  metadata: RequestMetadata,
  changes: Partial<Pick<User, "displayName" | "givenName" | "familyName" | "phone">>,
): Promise<Done | NotAllowed> {
  const now = context.clock.now();
  if (!isFresh(access, now)) return { kind: "reauthentication_required" };
  return context.store.tx<Done | NotAllowed>(async (tx) => {
    const isCurrent = await lockGeneration(tx, access.userId, access.generation);
    if (!isCurrent) return rollback({ kind: "unauthorized" });
    await updateUserProfile(tx, access.userId, changes, now);
    const reason = "phone" in changes ? "phone" : "name";
    await recordSettings({ ...context, store: tx }, access, metadata, {
      type: "profile.changed",
      outcome: "ok",
      reason,
    });
    return { kind: "done" };
  });
}
