import { z } from "zod";
import {
  consumeOneTimeToken,
  findOneTimeToken,
  issueOneTimeToken,
} from "#app/db/repositories/one-time-tokens.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { OneTimeToken } from "#app/db/schema.server.ts";
import { hashToken, isTokenHash } from "#app/domain/secret/token-hash.server.ts";
import { MINUTE_SECONDS, SECOND_MS } from "#app/durations.ts";
import type { Random, TokenHash } from "#app/ports.ts";
import { grantOf, grantPayload, isStillGranted, type SettingsDeps, type SettingsGrant } from "./grant.server.ts";

/** Lifetime of a confirmation. */
const CONFIRMATION_SECONDS = 10 * MINUTE_SECONDS;

const payloadSchema = z.object({
  to: z.string(),
  /** Hash of an administrator's link, which is consumed with the confirmation; null if `t` was consumed before. */
  linkHash: z.custom<TokenHash>((value) => typeof value === "string" && isTokenHash(value)).nullable(),
});

/** A token, and the browser cookie it was issued for. */
type Bearer = { token: string; browser: string };

/**
 * Stores a grant until the user confirms that these settings are meant: without a session in this browser, the link may
 * come from an attacker. `to` is the page to open then. `link`: an unused `t`, which the confirmation consumes, else
 * null. Replaces an earlier confirmation of this browser.
 * @returns the cookie value; only its hash is stored
 */
export async function issueConfirmation(
  { store, clock, random }: SettingsDeps & { random: Random },
  grant: SettingsGrant,
  { browser, to, link }: { browser: string; to: string; link: string | null },
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
    payload: { ...grantPayload(grant), to, linkHash: link && hashToken(link) },
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

/**
 * Consumes the confirmation, with the administrator's link behind it, and returns its grant, without auth_time. Of
 * several simultaneous calls with the same confirmation or link, one succeeds.
 */
export async function confirmSettings(
  deps: SettingsDeps,
  bearer: Bearer,
): Promise<{ grant: SettingsGrant; to: string } | null> {
  return deps.store.tx(async (store) => {
    const tx = { ...deps, store };
    const row = await consumeOneTimeToken(store, tokenQuery(deps, bearer));
    const confirmed = await validateConfirmation(tx, row, bearer);
    const tokenHash = confirmed?.linkHash ?? null;
    if (!confirmed || tokenHash === null) return confirmed;
    const link = await consumeOneTimeToken(store, { kind: "settings", tokenHash, now: deps.clock.now() });
    return link && confirmed;
  });
}

function tokenQuery({ clock }: SettingsDeps, { token }: Bearer) {
  return { kind: "settings-confirm", tokenHash: hashToken(token), now: clock.now() } as const;
}

async function validateConfirmation(deps: SettingsDeps, row: OneTimeToken | null, { browser }: Bearer) {
  const payload = payloadSchema.safeParse(row?.payload);
  const grant = row && grantOf(row);
  if (!grant || !payload.success || row.browserHash !== hashToken(browser)) return null;
  // No auth_time, because pressing the button does not prove the user's identity.
  return (await isStillGranted(deps, grant)) ? { grant: { ...grant, authTime: null }, ...payload.data } : null;
}
