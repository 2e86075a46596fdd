import { describe, expect, it } from "vitest";
import { listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { createGroup } from "#app/db/repositories/groups.server.ts";
import { replaceRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import { setUserStatus } from "#app/db/repositories/users.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import { continueSession } from "#app/domain/sign-in/finish.server.ts";
import { checkSignInPolicy } from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { findKnownBrowser } from "#tests/unit/db/known-browser.ts";
import {
  fixedClock,
  installation,
  mailConfig,
  putUser,
  random,
  recordingLog,
  secrets,
} from "#tests/unit/domain/fixtures.ts";
import { putUserWithApp } from "#tests/unit/domain/second-factor/sign-in-fixtures.ts";

const PASSWORD_ONLY = ["pwd"];
const TWO_FACTORS = ["pwd", "otp", "mfa"];

function policyDeps(store: Store, mfaPolicy: "optional" | "required" = "optional") {
  return {
    store,
    clock: fixedClock(),
    random,
    secrets,
    log: recordingLog().log,
    config: { ...mailConfig, mfaPolicy, mfaRememberDays: 0 },
  };
}

describe("the sign-in policy", () => {
  it("refuses a removed or blocked user, whatever was proven", async () => {
    const store = await withStore("sqlite");
    const blocked = await putUser(store, { username: "anna", status: "blocked" });
    const context = policyDeps(store);
    expect(await checkSignInPolicy(context, { userId: blocked.id, amr: TWO_FACTORS })).toEqual({ kind: "refused" });
    expect(await checkSignInPolicy(context, { userId: "nobody", amr: TWO_FACTORS })).toEqual({ kind: "refused" });
  });

  it("refuses methods that were proven for an older generation", async () => {
    const store = await withStore("sqlite");
    const { id: userId, generation } = await putUser(store, { username: "anna" });
    const context = policyDeps(store);
    const proven = { userId, amr: PASSWORD_ONLY, generation };
    expect(await checkSignInPolicy(context, proven)).toMatchObject({ kind: "complete" });
    await setUserStatus(store, userId, "active", new Date());
    expect(await checkSignInPolicy(context, proven)).toEqual({ kind: "refused" });
  });

  it("requires a second factor of every user if MFA_POLICY does", async () => {
    const store = await withStore("sqlite");
    const { id: userId, generation } = await putUser(store, { username: "anna" });
    const context = policyDeps(store, "required");
    const open = { kind: "second-factor-required", userId, generation };
    expect(await checkSignInPolicy(context, { userId, amr: PASSWORD_ONLY })).toEqual({ ...open, amr: PASSWORD_ONLY });
    expect(await checkSignInPolicy(context, { userId, amr: ["fed"] })).toEqual({ ...open, amr: ["fed"] });
    const complete = await checkSignInPolicy(context, { userId, amr: TWO_FACTORS });
    expect(complete).toMatchObject({ subject: { amr: TWO_FACTORS, acr: "urn:gatehouse:acr:mfa" } });
  });

  it("requires a second factor of the members of a group, and of no others", async () => {
    const store = await withStore("sqlite");
    const board = await createGroup(store, { id: "board", name: "Board", requireMfa: true, createdAt: new Date() });
    const staff = await createGroup(store, { id: "staff", name: "Staff", requireMfa: false, createdAt: new Date() });
    const anna = await putUser(store, { username: "anna", groupId: board.id });
    const berta = await putUser(store, { username: "berta", groupId: staff.id });
    const context = policyDeps(store);
    expect(await checkSignInPolicy(context, { userId: anna.id, amr: PASSWORD_ONLY })).toMatchObject({
      kind: "second-factor-required",
    });
    expect(await checkSignInPolicy(context, { userId: berta.id, amr: PASSWORD_ONLY })).toMatchObject({
      kind: "complete",
    });
  });
});

describe.each(dialects)("the sign-in policy on %s", (dialect) => {
  it("requires the second factor of a user who has one; recovery codes alone do not count", async () => {
    const store = await withStore(dialect);
    const deps = installation(store);
    const { user: anna } = await putUserWithApp(deps, "anna");
    const berta = await putUser(store, { username: "berta" });
    await store.tx((tx) => replaceRecoveryCodes(tx, berta.id, { codeHashes: ["hash"], now: new Date() }));
    for (const amr of [PASSWORD_ONLY, ["fed"], ["pwd", "otp"]]) {
      const open = { kind: "second-factor-required", userId: anna.id, generation: anna.generation, amr };
      expect(await checkSignInPolicy(deps, { userId: anna.id, amr })).toEqual(open);
    }
    expect(await checkSignInPolicy(deps, { userId: anna.id, amr: TWO_FACTORS })).toMatchObject({ kind: "complete" });
    expect(await checkSignInPolicy(deps, { userId: berta.id, amr: PASSWORD_ONLY })).toMatchObject({
      kind: "complete",
    });
  });
});

describe.each(dialects)("finishing a sign-in on %s", (dialect) => {
  const metadata = {
    browser: "browser-cookie-value",
    address: "192.0.2.1",
    userAgent: "",
    requestId: "r",
    clientId: "suite",
  };

  it("a complete sign-in is in the audit trail, and its browser is stored by its hash only", async () => {
    const store = await withStore(dialect);
    const { id: userId } = await putUser(store, { username: "anna" });
    const result = await continueSession(policyDeps(store), { userId, amr: PASSWORD_ONLY, ...metadata });
    expect(result).toMatchObject({ kind: "complete", subject: { userId } });
    expect(await findKnownBrowser(store, userId, hashToken(metadata.browser))).not.toBeNull();
    expect(await findKnownBrowser(store, userId, metadata.browser)).toBeNull();
    const [row] = await listAuditEvents(store, { after: 0, limit: 10 });
    expect(row).toMatchObject({ type: "sign-in.succeeded", outcome: "ok", userId, clientId: "suite" });
  });

  it("a refused one stores no browser and writes only the audit row", async () => {
    const store = await withStore(dialect);
    const { id: userId } = await putUser(store, { username: "anna", status: "blocked" });
    const result = await continueSession(policyDeps(store), { userId, amr: PASSWORD_ONLY, ...metadata });
    expect(result).toEqual({ kind: "refused" });
    expect(await findKnownBrowser(store, userId, hashToken(metadata.browser))).toBeNull();
    const [row] = await listAuditEvents(store, { after: 0, limit: 10 });
    expect(row).toMatchObject({ type: "sign-in.refused", outcome: "refused", userId });
  });
});
