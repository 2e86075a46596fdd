import { describe, expect, it } from "vitest";
import { listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import type { User } from "#app/db/schema.server.ts";
import { DomainError, hasCode } from "#app/domain/base/errors.ts";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import { createPasswordHasher } from "#app/domain/password/hash.server.ts";
import { findPending } from "#app/domain/pending-sign-in/pending.server.ts";
import { createRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { type Dialect, dialects, withStore } from "#tests/support/databases.ts";
import { type Installation, installation, putUser, REQUEST } from "#tests/unit/domain/fixtures.ts";
import { putUserWithApp, verifyInNewSignIn, waitingSignIn } from "#tests/unit/domain/second-factor/sign-in-fixtures.ts";

const used = { kind: "refused", reason: "used", clockOffSeconds: null };
const wrong = { kind: "refused", reason: "wrong", clockOffSeconds: null };

async function makeCodes(deps: Installation, { id: userId, generation }: User): Promise<[string, ...string[]]> {
  const created = await createRecoveryCodes(deps, { userId, generation, ...REQUEST, clientId: null });
  const [first, ...others] = created.kind === "made" ? created.codes : [];
  if (first === undefined) throw new Error(created.kind);
  return [first, ...others];
}

async function userWithCodes(dialect: Dialect, changes: Partial<Installation> = {}) {
  const deps = { ...installation(await withStore(dialect)), ...changes };
  const appUser = await putUserWithApp(deps, "anna");
  return { parts: deps, ...appUser, codes: await makeCodes(deps, appUser.user) };
}

describe.each(dialects)("a recovery code on %s", (dialect) => {
  it("replaces a code of the app, once, in any spelling", async () => {
    const { parts: deps, user, codes } = await userWithCodes(dialect);
    const [code] = codes;
    const signIn = await waitingSignIn(deps, user);
    const result = await verifyCode(deps, { ...signIn, code: ` ${code.toLowerCase().replace("-", " ")}` });
    if (result.kind !== "verified") throw new Error(result.kind);
    expect(await findPending(deps, { ...signIn, mfaToken: result.mfaToken })).toMatchObject({ verified: ["otp"] });
    expect(await verifyInNewSignIn(deps, user, code)).toEqual(used);
    expect(await findFactors(deps.store, user.id)).toMatchObject({ recoveryCodesLeft: 9 });
    const events = await listAuditEvents(deps.store, { after: 0, limit: 10 });
    expect(events.map(({ type }) => type)).toEqual(["recovery-codes.made", "recovery-code.used", "factor.refused"]);
  });

  it("is consumed once by 20 simultaneous calls", async () => {
    const { parts: deps, user, codes } = await userWithCodes(dialect);
    const signIns = await Promise.all(Array.from({ length: 20 }, () => waitingSignIn(deps, user)));
    const results = await Promise.all(signIns.map((signIn) => verifyCode(deps, { ...signIn, code: codes[0] })));
    expect(results.filter(({ kind }) => kind === "verified")).toHaveLength(1);
    expect(await findFactors(deps.store, user.id)).toMatchObject({ recoveryCodesLeft: 9 });
  });

  it("of a replaced set is wrong, also that of another user", async () => {
    const { parts: deps, user, codes } = await userWithCodes(dialect);
    const newer = await makeCodes(deps, user);
    const berta = await putUserWithApp(deps, "berta");
    expect(await verifyInNewSignIn(deps, berta.user, newer[0])).toEqual(wrong);
    await makeCodes(deps, berta.user);
    expect(await verifyInNewSignIn(deps, berta.user, newer[0])).toEqual(wrong);
    expect(await verifyInNewSignIn(deps, user, codes[0])).toEqual(wrong);
    expect(await verifyInNewSignIn(deps, user, newer[0])).toMatchObject({ kind: "verified" });
  });

  it("counts as an attempt like every factor", async () => {
    const { parts: deps, user, codes } = await userWithCodes(dialect);
    for (let n = 0; n < 10; n += 1) expect(await verifyInNewSignIn(deps, user, "00000-00000")).toEqual(wrong);
    expect(await verifyInNewSignIn(deps, user, codes[0])).toEqual({ kind: "throttled", retryAfterSeconds: 300 });
  });
});

describe("a set of recovery codes", () => {
  it("has ten different codes in two groups of five unambiguous characters", async () => {
    const { codes } = await userWithCodes("sqlite");
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
  });

  it("is stored as argon2id hashes with one common salt, and works", async () => {
    const hasher = createPasswordHasher({ concurrency: 1 });
    const { parts: deps, user, codes } = await userWithCodes("sqlite", { hasher });
    const rows = await deps.store.q.select().from(deps.store.t.recoveryCodes);
    const hash = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$[A-Za-z0-9+/]{43}$/;
    expect(new Set(rows.map(({ codeHash }) => hash.exec(codeHash)?.[1])).size).toBe(1);
    expect(new Set(rows.map(({ codeHash }) => codeHash)).size).toBe(10);
    const everything = JSON.stringify(rows) + deps.lines.join("");
    for (const code of codes) for (const part of code.split("-")) expect(everything).not.toContain(part);
    expect(rows[0]?.codeHash).toMatch(hash);
    expect(await verifyInNewSignIn(deps, user, codes[9] ?? "")).toMatchObject({ kind: "verified" });
    expect(await verifyInNewSignIn(deps, user, "00000-00000")).toEqual(wrong);
  });

  it("is not created for a user without a factor", async () => {
    const deps = installation(await withStore("sqlite"));
    const { id: userId, generation } = await putUser(deps.store, { username: "anna" });
    expect(await createRecoveryCodes(deps, { userId, generation, ...REQUEST })).toEqual({ kind: "no factor" });
    expect(await deps.store.q.$count(deps.store.t.recoveryCodes)).toBe(0);
  });

  it("checked while the hash queue is full is overloaded, and counts no attempt", async () => {
    const { parts: deps, user, codes } = await userWithCodes("sqlite");
    const hashLike = () => Promise.reject(new DomainError("overloaded"));
    const busy = { ...deps, hasher: { ...deps.hasher, hashLike } };
    for (let n = 0; n < 6; n += 1) {
      await expect(verifyInNewSignIn(busy, user, codes[0])).rejects.toSatisfy((error) => hasCode(error, "overloaded"));
    }
    expect(await verifyInNewSignIn(deps, user, codes[0])).toMatchObject({ kind: "verified" });
  });
});
