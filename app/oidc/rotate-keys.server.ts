import { incrementKeysGeneration } from "#app/db/repositories/instance.server.ts";
import {
  insertSigningKey,
  listSigningKeys,
  removeSigningKeys,
  setSigningKeyState,
} from "#app/db/repositories/signing-keys.server.ts";
import type { SigningKey } from "#app/db/schema.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { DAY_MS, HOUR_MS } from "#app/durations.ts";
import { KEY_AHEAD_HOURS, KEY_DAYS, KEY_KEPT_DAYS } from "./key-lifetimes.ts";
import { type KeyDeps, makeSigningKey, SIGNING_ALGS, type SigningAlg } from "./keys.server.ts";

type RotationDeps = AuditDeps & KeyDeps;

/** Result of a rotation: per algorithm the ids of the current, the next and the retired key. */
type Rotation = { alg: SigningAlg; current: string; next: string; retired: string }[];

/**
 * Makes the next key of every algorithm current and publishes a new next key. A running server follows within a second.
 * `removeOld` removes all previously used keys, so that their signatures can no longer be verified.
 * Throws DomainError "key too young" if clients may not have fetched the next key yet, unless `now` is set.
 */
export async function rotateSigningKeys(
  context: RotationDeps,
  { now = false, removeOld = false }: { now?: boolean; removeOld?: boolean } = {},
): Promise<Rotation> {
  const mayRotate = (next: SigningKey) => {
    if (!now && !isPublishedLongEnough(next, context)) throw new DomainError("key too young", { detail: next.kid });
    return true;
  };
  return rotate(context, SIGNING_ALGS, mayRotate, removeOld);
}

/**
 * Rotates keys that have signed for KEY_DAYS, and removes retired keys after KEY_KEPT_DAYS. Safe to call often and from
 * several processes.
 */
export async function rotateDueKeys(context: RotationDeps): Promise<void> {
  const { store, clock } = context;
  const keys = await listSigningKeys(store);
  const isDue = (key: SigningKey) =>
    key.state === "current" && ageMs(key.activatedAt, clock.now()) >= KEY_DAYS * DAY_MS;
  const due = SIGNING_ALGS.filter((alg) => keys.some((key) => key.alg === alg && isDue(key)));
  if (due.length > 0) {
    await rotate(context, due, (next, current) => isDue(current) && isPublishedLongEnough(next, context), false);
  }
  const expired = keys.filter((key) => ageMs(key.retiredAt, clock.now()) >= KEY_KEPT_DAYS * DAY_MS);
  if (expired.length > 0) await removeKeys(context, expired);
}

type MayRotate = (next: SigningKey, current: SigningKey) => boolean;

/** Rotates in one transaction; `mayRotate` is evaluated inside it. */
async function rotate(
  context: RotationDeps,
  algs: readonly SigningAlg[],
  mayRotate: MayRotate,
  removeOld: boolean,
): Promise<Rotation> {
  // Creating an RSA key is too slow for a transaction.
  const created = await Promise.all(algs.map((alg) => makeSigningKey(context, { alg, state: "next" })));
  return context.store.tx(async (tx) => {
    // Written first: a concurrent process waits here and then reads the new state.
    await incrementKeysGeneration(tx);
    const keys = await listSigningKeys(tx);
    const deps = { ...context, store: tx };
    const rotation: Rotation = [];
    for (const key of created) {
      const current = keys.find(({ alg, state }) => alg === key.alg && state === "current");
      const next = keys.find(({ alg, state }) => alg === key.alg && state === "next");
      if (!current || !next || !mayRotate(next, current)) continue;
      await move(deps, { current, next, created: key, removeOld });
      rotation.push({ alg: key.alg, current: next.kid, next: key.kid, retired: current.kid });
    }
    for (const { current, next, retired } of rotation) {
      await record(deps, removeOld ? "key.removed" : "key.retired", retired);
      await record(deps, "key.activated", current);
      await record(deps, "key.published", next);
    }
    if (removeOld) await removeRetired(deps, keys);
    return rotation;
  });
}

type Move = { current: SigningKey; next: SigningKey; created: SigningKey; removeOld: boolean };

async function move({ store, clock }: RotationDeps, { current, next, created, removeOld }: Move): Promise<void> {
  const now = clock.now();
  if (removeOld) await removeSigningKeys(store, [current.kid]);
  else await setSigningKeyState(store, current.kid, { state: "retired", retiredAt: now });
  await setSigningKeyState(store, next.kid, { state: "current", activatedAt: now });
  await insertSigningKey(store, created);
}

/** Removes all retired keys, because a compromise may date back to any of them. */
async function removeRetired(context: RotationDeps, keys: readonly SigningKey[]): Promise<void> {
  const retired = keys.filter(({ state }) => state === "retired").map(({ kid }) => kid);
  for (const kid of await removeSigningKeys(context.store, retired)) await record(context, "key.removed", kid);
}

async function removeKeys(context: RotationDeps, keys: readonly SigningKey[]): Promise<void> {
  await context.store.tx(async (tx) => {
    const removed = await removeSigningKeys(
      tx,
      keys.map(({ kid }) => kid),
    );
    if (removed.length === 0) return;
    await incrementKeysGeneration(tx);
    for (const kid of removed) await record({ ...context, store: tx }, "key.removed", kid);
  });
}

function record(
  context: AuditDeps,
  type: "key.removed" | "key.retired" | "key.activated" | "key.published",
  kid: string,
) {
  return recordEvent(context, { type, outcome: "ok", reason: kid });
}

function isPublishedLongEnough(next: SigningKey, { clock }: RotationDeps): boolean {
  return ageMs(next.createdAt, clock.now()) >= KEY_AHEAD_HOURS * HOUR_MS;
}

/** Returns the age in milliseconds; negative infinity for null. */
function ageMs(since: Date | null, now: Date): number {
  return since === null ? Number.NEGATIVE_INFINITY : now.getTime() - since.getTime();
}
