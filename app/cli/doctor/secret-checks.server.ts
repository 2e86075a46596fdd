import { OLD_KEY_HOURS } from "#app/cli/old-keys.ts";
import { getInstance } from "#app/db/repositories/instance.server.ts";
import { listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import { findUnreadable } from "#app/domain/instance/unreadable.server.ts";
import { DAY_MS } from "#app/durations.ts";
import { KEY_DAYS } from "#app/oidc/key-lifetimes.ts";
import { SIGNING_ALGS } from "#app/oidc/keys.server.ts";
import { type CheckResult, type DatabaseCheck, failed, ok, warning } from "./check.server.ts";

const MAX_LISTED = 5;
/** Tolerance: a server that was stopped at the time of a rotation makes it within a minute of its start. */
const GRACE_DAYS = 2;

type Context = Parameters<DatabaseCheck["run"]>[0];

/** Checks of SECRET_KEYS, of the values encrypted with them, and of the signing keys. */
export const SECRET_CHECKS: readonly DatabaseCheck[] = [
  { name: "secret key", run: checkFingerprint },
  { name: "sealed secrets", run: checkSealed },
  { name: "signing keys", run: checkSigningKeys },
];

async function checkFingerprint({ store, secrets, config }: Context): Promise<CheckResult> {
  const { keyFingerprint } = await getInstance(store);
  if (keyFingerprint !== secrets.fingerprint) {
    const found = `the database still uses the key ${keyFingerprint}; the first key of SECRET_KEYS is ${secrets.fingerprint}`;
    return warning(found, "Run gatehouse secrets reencrypt; its --help describes when to remove the old key.");
  }
  if (config.secretKeys.length > 1) {
    const found = `SECRET_KEYS contains ${config.secretKeys.length - 1} old keys that are no longer needed`;
    return warning(
      found,
      `Remove them ${OLD_KEY_HOURS} hours after secrets reencrypt, and store them with the earlier backups.`,
    );
  }
  return ok(`the database uses the key ${keyFingerprint}`);
}

async function checkSealed(context: Context): Promise<CheckResult> {
  const { rows, unreadable } = await findUnreadable(context);
  if (unreadable.length === 0) return ok(`all ${rows} can be decrypted`);
  const listed = unreadable.slice(0, MAX_LISTED).map(({ place, key }) => `${place} ${key}`);
  const more = unreadable.length > MAX_LISTED ? ", …" : "";
  return failed(
    `${unreadable.length} of ${rows} cannot be decrypted: ${listed.join(", ")}${more}`,
    "Add the missing key to SECRET_KEYS. If it is lost, run user link --mfa-reset and client rotate-secret.",
  );
}

async function checkSigningKeys({ store, clock }: Context): Promise<CheckResult> {
  const keys = await listSigningKeys(store);
  if (keys.length === 0) return warning("there are none yet", "The server creates them when it first starts.");
  const has = (alg: string, state: string) => keys.some((key) => key.alg === alg && key.state === state);
  const missing = SIGNING_ALGS.filter((alg) => !has(alg, "current") || !has(alg, "next"));
  if (missing.length > 0) {
    return failed(
      `there is no current or next key for ${missing.join(", ")}`,
      "Restart the server, which creates missing keys.",
    );
  }
  const ages = keys
    .filter(({ state }) => state === "current")
    .map(({ activatedAt }) => (clock.now().getTime() - (activatedAt?.getTime() ?? 0)) / DAY_MS);
  const oldest = Math.floor(Math.max(...ages));
  if (oldest <= KEY_DAYS + GRACE_DAYS) return ok(`the oldest current key is ${oldest} days old`);
  return warning(
    `a current key is ${oldest} days old`,
    "A running server rotates the keys. To rotate manually: gatehouse keys rotate",
  );
}
