import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { findGroup, listGroups } from "#app/db/repositories/groups.server.ts";
import { hasUnusedUser } from "#app/db/repositories/invited-users.server.ts";
import { listOffices } from "#app/db/repositories/people.server.ts";
import { isReservedUsername } from "#app/db/repositories/reserved-usernames.server.ts";
import { findUser, findUserByUsername } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { type Rollback, rollback } from "#app/db/transaction.server.ts";
import { type Administrator, allows } from "#app/domain/administration/administrator.ts";
import { isStillAdministrator } from "#app/domain/administration/find.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { dayOf, daySchema } from "#app/domain/base/day.ts";
import { DomainError, type ErrorCode, hasCode } from "#app/domain/base/errors.ts";
import { lineSchema } from "#app/domain/base/line-schema.ts";
import { parseInput } from "#app/domain/base/parse-input.ts";
import { lockMemberships } from "#app/domain/group/membership.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import { canonicalForm } from "#app/domain/username/canonical.ts";
import { formUsername } from "#app/domain/username/form.ts";
import { newUserSchema, prepareUser, storeUser } from "./add.server.ts";
import { type InvitationsDeps, invitationLimiter } from "./invitations.server.ts";
import { sendInvitation } from "./invite.server.ts";

/** Maximum length of each name, so that the display name, which contains both, has at most 200 characters. */
const NAME_LENGTH = 99;

/**
 * Input of `invitePerson`. `username`: null forms it from the names. `officeId` and `groupIds`: home group and further
 * groups. `lastDay`: YYYY-MM-DD in TIME_ZONE.
 */
const invitedSchema = z.strictObject({
  givenName: lineSchema(NAME_LENGTH),
  familyName: lineSchema(NAME_LENGTH),
  email: newUserSchema.shape.email.unwrap().unwrap(),
  username: z.string().nullable(),
  officeId: z.string().nullable(),
  groupIds: z.array(z.string()),
  lastDay: daySchema.nullable(),
});

/** Input of `invitePerson`. */
export type InvitedPerson = z.input<typeof invitedSchema>;

/** Dependencies of `invitePerson`; the store is that of `requireAdministration`. */
export type InviteDeps = InvitationsDeps & {
  hasher: PasswordHasher;
  config: Pick<Config, "productName" | "timeZone">;
};

/**
 * Result of `invitePerson`. "refused" changed nothing; `fields`: the invalid fields of the input. "not allowed": the role
 * has ended, or invites no people.
 */
export type Inviting =
  | { kind: "done"; userId: string; username: string }
  | { kind: "not allowed" }
  | { kind: "refused"; code: ErrorCode; fields: readonly string[] }
  | { kind: "throttled"; retryAfterSeconds: number };

/** Another process may take the formed user name between its check and its use. */
const MAX_ATTEMPTS = 3;

/**
 * Adds a person and mails an invitation, in one transaction. A help desk of one office invites to that office, whatever
 * the input says; only administrators choose further groups. A person with the same names and address, who was invited
 * to the same office and has not used the account, is refused, so that a form that is sent twice invites once.
 */
export async function invitePerson(
  context: InviteDeps,
  administrator: Administrator,
  input: InvitedPerson,
): Promise<Inviting> {
  if (!allows(administrator, "invite people")) return { kind: "not allowed" };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const person = parseInput(invitedSchema, input, "user is invalid");
      return await context.store.tx<Inviting>((store) => invite({ ...context, store }, administrator, person));
    } catch (error) {
      const isTaken = input.username === null && hasCode(error, "username not available");
      if (isTaken && attempt < MAX_ATTEMPTS) continue;
      return refusedBy(error);
    }
  }
}

async function invite(
  deps: InviteDeps,
  administrator: Administrator,
  person: z.output<typeof invitedSchema>,
): Promise<Inviting | Rollback<Inviting>> {
  const { store, clock, config } = deps;
  await lockMemberships(store);
  await store.lock("roles");
  if (!(await isStillAdministrator(store, administrator))) return rollback({ kind: "not allowed" });
  const { givenName, familyName, email, lastDay } = person;
  if (lastDay !== null && lastDay < dayOf(clock.now(), config.timeZone)) throw new DomainError("last day is past");
  const { office, furtherGroups } = await groupsOf(store, administrator, person);
  const isRepeated = await hasUnusedUser(store, { givenName, familyName, email, groupId: office?.id ?? null });
  if (isRepeated) throw new DomainError("user is invalid", { fields: ["repeated"] });
  const prepared = await prepareUser(deps, {
    username: person.username ?? (await freeUsername(store, person)),
    displayName: `${givenName} ${familyName}`,
    ...{ givenName, familyName, email, furtherGroups, groupName: office?.name ?? null },
  });
  const retryAfterSeconds = await invitationLimiter.count(deps, administrator.userId);
  if (retryAfterSeconds > 0) return rollback({ kind: "throttled", retryAfterSeconds });
  const { id: userId, username } = await storeUser(deps, { ...prepared, row: { ...prepared.row, lastDay } });
  const user = await findUser(store, userId);
  if (!user) throw new Error("the new user is missing");
  await sendInvitation(deps, user);
  await recordEvent(deps, { type: "user.invited", outcome: "ok", userId, username });
  return { kind: "done", userId, username };
}

/** Returns the chosen groups. Throws DomainError "group not found" for one that the administrator may not choose. */
async function groupsOf(store: Store, administrator: Administrator, { officeId, groupIds }: GroupChoice) {
  const choices = await findInvitationChoices({ store }, administrator);
  const ownId = administrator.officeId ?? officeId;
  const office = ownId === null ? null : await findGroup(store, ownId);
  const isOffered = administrator.officeId !== null || choices.offices.some(({ id }) => id === ownId);
  if (office ? !isOffered : ownId !== null || !choices.mayHaveNoOffice) {
    throw new DomainError("group not found", { fields: ["officeId"] });
  }
  const furtherGroups = groupIds.map((wanted) => {
    const group = choices.groups.find(({ id }) => id === wanted);
    if (!group) throw new DomainError("group not found", { fields: ["groupIds"] });
    return group.name;
  });
  return { office, furtherGroups };
}

type GroupChoice = Pick<InvitedPerson, "officeId" | "groupIds">;

/**
 * The groups that an administrator may choose for a new person. `offices`: [] for a help desk of one office, whose office
 * it is. `groups`: further groups, besides those that each new person gets.
 */
export type InvitationChoices = Record<"offices" | "groups", { id: string; name: string }[]> & {
  mayHaveNoOffice: boolean;
};

/** Returns what an administrator may choose. A help desk chooses among offices with people: other groups give access. */
export async function findInvitationChoices(
  { store }: { store: Store },
  { role, officeId }: Administrator,
): Promise<InvitationChoices> {
  if (officeId !== null) return { offices: [], groups: [], mayHaveNoOffice: false };
  if (role === "administrator") {
    const groups = await listGroups(store);
    const named = ({ id, name }: { id: string; name: string }) => ({ id, name });
    return {
      offices: groups.map(named),
      groups: groups.filter(({ isDefault }) => !isDefault).map(named),
      mayHaveNoOffice: true,
    };
  }
  const offices = await listOffices(store);
  return { offices, groups: [], mayHaveNoOffice: offices.length === 0 };
}

/** Returns a user name formed from the names, with a number if it is taken or reserved. Throws "username is invalid". */
async function freeUsername(store: Store, { givenName, familyName }: Pick<InvitedPerson, "givenName" | "familyName">) {
  const formed = formUsername(givenName, familyName);
  if (formed === null) throw new DomainError("username is invalid");
  for (let number = 1; ; number += 1) {
    const username = number === 1 ? formed : `${formed}${number}`;
    const canonical = canonicalForm(username);
    const isTaken = (await findUserByUsername(store, canonical)) || (await isReservedUsername(store, canonical));
    if (!isTaken) return username;
  }
}

/** The field of an error that names none. */
const FIELD_OF_CODE: Partial<Record<ErrorCode, string>> = {
  "username is empty": "username",
  "username is invalid": "username",
  "username not available": "username",
  "last day is past": "lastDay",
  "too many groups": "groupIds",
};

function refusedBy(error: unknown): Inviting {
  if (!(error instanceof DomainError)) throw error;
  const { code, fields } = error;
  const field = FIELD_OF_CODE[code];
  return { kind: "refused", code, fields: field === undefined ? fields : [field] };
}
