import { describe, expect, test } from "vitest";
import { ensureInstance, getInstance } from "#app/db/repositories/instance.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import { changeIssuer } from "#app/domain/instance/change-issuer.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { fixedClock, putUser, recordingLog } from "#tests/unit/domain/fixtures.ts";

const at = new Date("2026-03-01T00:00:00.000Z");
const OLD = { issuer: "https://old.example", rpId: "old.example" };
const NEW = { issuer: "https://new.example", rpId: "new.example" };

async function installed(store: Store, withKey: boolean) {
  await ensureInstance(store, { ...OLD, keyFingerprint: "f", createdAt: at });
  const { id: userId } = await putUser(store, { username: "anna" });
  if (!withKey) return;
  const fields = { name: "Key", publicKeyBase64url: "k", algorithm: -7, counter: 0, attestationFormat: "none" };
  const key = { ...fields, backupEligible: false, backedUp: false, createdAt: at };
  await store.q.insert(store.t.webauthnCredentials).values({ id: "key", userId, rpId: OLD.rpId, ...key });
}

function start(store: Store, issuer: string, acceptHost = false) {
  return changeIssuer({ store, clock: fixedClock(), log: recordingLog().log, config: { issuer } }, { acceptHost });
}

const trailOf = (store: Store) => store.q.select({ type: store.t.auditEvents.type }).from(store.t.auditEvents);

describe.each(dialects)("a start with another issuer on %s", (dialect) => {
  test("is refused if security keys are bound to the former host, and changes nothing", async () => {
    const store = await withStore(dialect);
    await installed(store, true);
    await expect(start(store, NEW.issuer)).rejects.toSatisfy((error) => hasCode(error, "host changed"));
    expect(await getInstance(store)).toMatchObject(OLD);
  });

  test("continues once that is accepted, also at later starts", async () => {
    const store = await withStore(dialect);
    await installed(store, true);
    await start(store, NEW.issuer, true);
    await start(store, NEW.issuer);
    expect(await getInstance(store)).toMatchObject(NEW);
    expect(await trailOf(store)).toEqual([{ type: "instance.moved" }]);
  });

  test.each([
    ["another host, where nobody has a security key", NEW.issuer, false],
    ["another port of the same host", "https://old.example:8443", true],
  ])("continues for %s", async (_what, issuer, withKey) => {
    const store = await withStore(dialect);
    await installed(store, withKey);
    await start(store, issuer);
    expect(await getInstance(store)).toMatchObject({ issuer });
  });

  test("changes nothing if the issuer is the same", async () => {
    const store = await withStore(dialect);
    await installed(store, true);
    await start(store, OLD.issuer);
    expect(await trailOf(store)).toEqual([]);
  });
});
