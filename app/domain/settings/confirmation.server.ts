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

/** How long a person may take to say that these settings are meant. */
export const CONFIRMATION_SECONDS = 10 * 60;

const SECOND_MS = 1000;

const payloadSchema = z.object({ to: z.string() });

/** A token and the value of the browser cookie it was made for. */
type Bearer = { token: string; browser: string };

/**
 * Keeps a right to open the settings until the person has said that these are meant: the browser is signed in as nobody,
 * and somebody may have sent it here. `to` is the page to open then. One for each browser: an older one dies.
 * @returns the value of a cookie; only its hash is stored
 */
export async function askToConfirm(
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

/** Whose settings wait to be opened in this browser; null when none do (any more). Uses nothing up. */
export async function findConfirmation(parts: SettingsDeps, bearer: Bearer): Promise<{ displayName: string } | null> {
  const found = await findOneTimeToken(parts.store, named(parts, bearer));
  const kept = await stillGood(parts, found, bearer);
  const user = kept && (await findUser(parts.store, kept.grant.userId));
  return user && { displayName: user.displayName };
}

/** Uses it up; of many at once one wins. Null when there is none (any more). The grant carries no auth_time. */
export async function confirmSettings(
  parts: SettingsDeps,
  bearer: Bearer,
): Promise<{ grant: SettingsGrant; to: string } | null> {
  return stillGood(parts, await consumeOneTimeToken(parts.store, named(parts, bearer)), bearer);
}

function named({ clock }: SettingsDeps, { token }: Bearer) {
  return { kind: "settings-confirm", tokenHash: hashToken(token), now: clock.now() } as const;
}

async function stillGood(parts: SettingsDeps, found: OneTimeToken | null, { browser }: Bearer) {
  const payload = payloadSchema.safeParse(found?.payload);
  const grant = found && grantOf(found);
  if (!grant || !payload.success || found.browserHash !== hashToken(browser)) return null;
  // A stranger may have sent the link here: the button proves nothing of who presses it.
  return (await isStillGranted(parts, grant)) ? { grant: { ...grant, authTime: null }, to: payload.data.to } : null;
}
