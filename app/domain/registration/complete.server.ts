import type { Config } from "#app/config/config.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError, type ErrorCode, hasCode } from "#app/domain/base/errors.ts";
import { linkAtSignIn } from "#app/domain/external-account/link-registered.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { createLimiter } from "#app/domain/throttle/limiter.server.ts";
import { type NewUserInput, prepareUser, storeUser } from "#app/domain/user/add.server.ts";
import { sendInvitation } from "#app/domain/user/invite.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import {
  advanceRegistration,
  findRegistrationOfClient,
  REDEEMED,
  type Redeemed,
  type Registration,
  type RegistrationDeps,
} from "./registration.server.ts";

/** User names that a client may try per registration, so that it cannot enumerate the existing ones. */
export const NAME_LIMIT = { name: "registration/names", points: 20, windowSeconds: HOUR_SECONDS } as const;

const nameLimiter = createLimiter(NAME_LIMIT);

/** Dependencies of `completeRegistration`. */
type CompletionDeps = RegistrationDeps & { secrets: Secrets; config: Config; hasher: PasswordHasher };

/** The client's call. `account` is as typed; `clientId` is the authenticated client. */
type CompletionInput = {
  registrationId: string;
  account: Pick<NewUserInput, "username" | "displayName" | "givenName" | "familyName" | "picture" | "address"> & {
    email: string;
  };
  clientId: string;
  address: string;
  requestId: string;
};

/** Errors of the account data. The registration stays open for another call. */
type Refusal = Extract<
  ErrorCode,
  "username is empty" | "username is invalid" | "username not available" | "user is invalid"
>;

/** Result of `completeRegistration`. Only "completed" consumes the registration. */
type Completion =
  /** `callbackUrl`: URL to redirect the browser to. */
  | { kind: "completed"; userId: string; callbackUrl: string }
  | { kind: "not found" }
  /** `fields`: the invalid fields of the account, for "user is invalid". */
  | { kind: "refused"; code: Refusal; fields: readonly string[] }
  | { kind: "throttled"; retryAfterSeconds: number };

/**
 * Creates the account of a registration, once. The user chooses a password through a mailed link, has no home group, and
 * becomes a member of the default groups: a client cannot choose groups. Runs in one transaction: a refused call consumes
 * nothing.
 */
export async function completeRegistration(context: CompletionDeps, input: CompletionInput): Promise<Completion> {
  const { registrationId, clientId } = input;
  const registration = await findRegistrationOfClient(context, { token: registrationId, stage: REDEEMED, clientId });
  if (!registration) return refuse(context, input);
  const retryAfterSeconds = await nameLimiter.count(context, registration.row.tokenHash);
  if (retryAfterSeconds > 0) return { kind: "throttled", retryAfterSeconds };
  try {
    return await context.store.tx((tx) => createAccount({ ...context, store: tx }, registration, input));
  } catch (error) {
    if (hasCode(error, "registration not found")) return refuse(context, input);
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return { kind: "refused", ...refusal };
  }
}

async function createAccount(
  context: CompletionDeps,
  registration: Registration<Redeemed>,
  { account, clientId, address, requestId }: CompletionInput,
): Promise<Completion> {
  const { store, config } = context;
  const { uid, identity, language: locale } = registration.payload;
  const { id: userId } = await storeUser(context, await prepareUser(context, { ...account, locale }));
  const token = await advanceRegistration(context, registration, { stage: "completed", uid, userId });
  const user = await findUser(store, userId);
  if (token === null || !user) {
    throw new DomainError("registration not found", { detail: "another call completed the registration" });
  }
  if (identity) await linkAtSignIn(context, { identity, userId, browserHash: registration.row.browserHash });
  const metadata = { userId, clientId, address, requestId };
  await recordEvent(context, { type: "registration.completed", outcome: "ok", ...metadata });
  // The mail repeats no names: the client's user typed them, and the address.
  await sendInvitation(context, user, { namesUnknown: true });
  const callbackUrl = new URL("/register/callback", config.issuer);
  callbackUrl.searchParams.set("token", token);
  return { kind: "completed", userId, callbackUrl: callbackUrl.href };
}

async function refuse(context: CompletionDeps, input: CompletionInput): Promise<Completion> {
  const { clientId, address, requestId } = input;
  const metadata = { reason: "complete", clientId, address, requestId };
  await recordEvent(context, { type: "registration.refused", outcome: "refused", ...metadata });
  return { kind: "not found" };
}

function refusalOf(error: unknown): { code: Refusal; fields: readonly string[] } | null {
  if (!(error instanceof DomainError)) return null;
  switch (error.code) {
    case "username is empty":
    case "username is invalid":
    case "username not available":
    case "user is invalid":
      return { code: error.code, fields: error.fields };
    default:
      return null;
  }
}
