import { z } from "zod";
import {
  consumeOneTimeToken,
  findOneTimeToken,
  issueOneTimeToken,
} from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { OneTimeToken } from "#app/db/schema.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Random } from "#app/ports.ts";
import { grantOf, grantPayload, isStillGranted, type SettingsDeps, type SettingsGrant } from "./grant.server.ts";

/** Lifetime of a confirmation. */
const CONFIRMATION_SECONDS = 10 * 60;

const SECOND_MS = 1000;

const payloadSchema = z.object({ to: z.string() });

/** A token, and the browser cookie it was issued for. */
type Bearer = { token: string; browser: string };

/**
 * Stores a grant until the user confirms that these settings are meant: without a session in this browser, the link may
 * come from an attacker. `to` is the page to open then. Replaces an earlier confirmation of this browser.
 * @returns the cookie value; only its hash is stored
 */
export async function issueConfirmation(
  { store, clock, random }: SettingsDeps & { random: Random },
  grant: SettingsGrant,
  { browser, to }: { browser: string; to: string },
): Promise<string> {
  const token = random.token();
  const createdAt = clock.now();
  const { userId, generation, clientId } = grant;
  await issueOneTimeToken(store, {
    kind: "settings-confirm",
    slot: hashToken(browser),
    browserHash: hashToken(browser),
    tokenHash: hashToken(token),
    userId,
    generation,
    clientId,
    payload: { ...grantPayload(grant), to },
    createdAt,
    expiresAt: new Date(createdAt.getTime() + CONFIRMATION_SECONDS * SECOND_MS),
  });
  return token;
}

/** Returns the user of a pending confirmation in this browser, or null. Consumes nothing. */
export async function findConfirmation(deps: SettingsDeps, bearer: Bearer): Promise<{ displayName: string } | null> {
  const row = await findOneTimeToken(deps.store, tokenQuery(deps, bearer));
  const confirmation = await validateConfirmation(deps, row, bearer);
  const user = confirmation && (await findUser(deps.store, confirmation.grant.userId));
  return user && { displayName: user.displayName };
}

/** Consumes the confirmation and returns its grant, without auth_time. Of several simultaneous calls, one succeeds. */
export async function confirmSettings(
  deps: SettingsDeps,
  bearer: Bearer,
): Promise<{ grant: SettingsGrant; to: string } | null> {
  return validateConfirmation(deps, await consumeOneTimeToken(deps.store, tokenQuery(deps, bearer)), bearer);
}

function tokenQuery({ clock }: SettingsDeps, { token }: Bearer) {
  return { kind: "settings-confirm", tokenHash: hashToken(token), now: clock.now() } as const;
}

async function validateConfirmation(deps: SettingsDeps, row: OneTimeToken | null, { browser }: Bearer) {
  const payload = payloadSchema.safeParse(row?.payload);
  const grant = row && grantOf(row);
  if (!grant || !payload.success || row.browserHash !== hashToken(browser)) return null;
  // No auth_time, because pressing the button does not prove the user's identity.
  return (await isStillGranted(deps, grant)) ? { grant: { ...grant, authTime: null }, to: payload.data.to } : null;
}
