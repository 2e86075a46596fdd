import { getInstance } from "#app/db/repositories/instance.server.ts";
import { listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import { findUnreadable } from "#app/domain/secret/unreadable.server.ts";
import { KEY_DAYS } from "#app/oidc/key-lifetimes.ts";
import { SIGNING_ALGS } from "#app/oidc/keys.server.ts";
import { type CheckResult, type DatabaseCheck, failed, ok, warning } from "./check.server.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_NAMED = 5;
/** A server that was off over the day of a rotation does it within a minute of its start. */
const GRACE_DAYS = 2;

type Context = Parameters<DatabaseCheck["run"]>[0];

/** The keys: those of SECRET_KEYS, and those that sign. */
export const SECRET_CHECKS: readonly DatabaseCheck[] = [
  { name: "secret key", run: checkFingerprint },
  { name: "sealed secrets", run: checkSealed },
  { name: "signing keys", run: checkSigningKeys },
];

async function checkFingerprint({ store, secrets, config }: Context): Promise<CheckResult> {
  const { keyFingerprint } = await getInstance(store);
  if (keyFingerprint !== secrets.fingerprint) {
    const found = `the database is still bound to ${keyFingerprint}, the newest key is ${secrets.fingerprint}`;
    return warning(found, "gatehouse secrets reencrypt; its --help tells when the old key may go.");
  }
  if (config.secretKeys.length > 1) {
    const found = `${config.secretKeys.length - 1} older keys stand in SECRET_KEYS and are needed no more`;
    return warning(found, "Take them out half a day after secrets reencrypt, and keep them with the older backups.");
  }
  return ok(`the database is bound to ${keyFingerprint}`);
}

async function checkSealed(context: Context): Promise<CheckResult> {
  const { rows, unreadable } = await findUnreadable(context);
  if (unreadable.length === 0) return ok(`all ${rows} open`);
  const named = unreadable.slice(0, MAX_NAMED).map(({ place, key }) => `${place} ${key}`);
  const more = unreadable.length > MAX_NAMED ? ", …" : "";
  return failed(
    `${unreadable.length} of ${rows} cannot be opened: ${named.join(", ")}${more}`,
    "Add the key they were sealed with to SECRET_KEYS; without it: user link --mfa-reset, client rotate-secret.",
  );
}

async function checkSigningKeys({ store, clock }: Context): Promise<CheckResult> {
  const keys = await listSigningKeys(store);
  if (keys.length === 0) return warning("there are none yet", "The server makes them when it first starts.");
  const has = (alg: string, state: string) => keys.some((key) => key.alg === alg && key.state === state);
  const missing = SIGNING_ALGS.filter((alg) => !has(alg, "current") || !has(alg, "next"));
  if (missing.length > 0)
    return failed(`${missing.join(", ")} lacks a key`, "Restart the server: it makes what is missing.");
  const ages = keys
    .filter(({ state }) => state === "current")
    .map(({ activatedAt }) => (clock.now().getTime() - (activatedAt?.getTime() ?? 0)) / DAY_MS);
  const oldest = Math.floor(Math.max(...ages));
  if (oldest <= KEY_DAYS + GRACE_DAYS) return ok(`the oldest has signed for ${oldest} days`);
  return warning(`one has signed for ${oldest} days`, "A running server rotates them; by hand: gatehouse keys rotate.");
}
