import { describe, expect, it } from "vitest";
import { listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { DomainError, hasCode } from "#app/domain/errors.ts";
import { createPasswordHasher } from "#app/domain/password/hash.server.ts";
import { createRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { findFactors } from "#app/domain/second-factor/factors.server.ts";
import { findPending } from "#app/domain/second-factor/pending.server.ts";
import { verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { type Dialect, dialects, withStore } from "#tests/support/databases.ts";
import { putUser } from "#tests/unit/domain/parts.ts";
import {
  answerTo,
  facts,
  type Installation,
  installation,
  putAppOwner,
  waitingSignIn,
} from "#tests/unit/domain/second-factor/second-step.ts";

const used = { kind: "refused", reason: "used", clockOffSeconds: null };
const wrong = { kind: "refused", reason: "wrong", clockOffSeconds: null };

async function makeCodes(parts: Installation, userId: string): Promise<[string, ...string[]]> {
  const made = await createRecoveryCodes(parts, { userId, ...facts, clientId: null });
  const [first, ...others] = made.kind === "made" ? made.codes : [];
  if (first === undefined) throw new Error(made.kind);
  return [first, ...others];
}

async function ownerOfCodes(dialect: Dialect, changes: Partial<Installation> = {}) {
  const parts = { ...installation(await withStore(dialect)), ...changes };
  const owner = await putAppOwner(parts, "anna");
  return { parts, ...owner, codes: await makeCodes(parts, owner.user.id) };
}

describe.each(dialects)("a recovery code on %s", (dialect) => {
  it("stands in for the app, once, in any spelling", async () => {
    const { parts, user, codes } = await ownerOfCodes(dialect);
    const [code] = codes;
    const signIn = await waitingSignIn(parts, user);
    const verdict = await verifyCode(parts, { ...signIn, code: ` ${code.toLowerCase().replace("-", " ")}` });
    if (verdict.kind !== "verified") throw new Error(verdict.kind);
    expect(await findPending(parts, { ...signIn, mfaToken: verdict.mfaToken })).toMatchObject({ verified: ["otp"] });
    expect(await answerTo(parts, user, code)).toEqual(used);
    expect(await findFactors(parts.store, user.id)).toMatchObject({ recoveryCodesLeft: 9 });
    const events = await listAuditEvents(parts.store, { after: 0, limit: 10 });
    expect(events.map(({ type }) => type)).toEqual(["recovery-codes.made", "recovery-code.used", "factor.refused"]);
  });

  it("works once for 20 at once", async () => {
    const { parts, user, codes } = await ownerOfCodes(dialect);
    const signIns = await Promise.all(Array.from({ length: 20 }, () => waitingSignIn(parts, user)));
    const verdicts = await Promise.all(signIns.map((signIn) => verifyCode(parts, { ...signIn, code: codes[0] })));
    expect(verdicts.filter(({ kind }) => kind === "verified")).toHaveLength(1);
    expect(await findFactors(parts.store, user.id)).toMatchObject({ recoveryCodesLeft: 9 });
  });

  it("of a replaced set is wrong, of another person too", async () => {
    const { parts, user, codes } = await ownerOfCodes(dialect);
    const newer = await makeCodes(parts, user.id);
    const berta = await putAppOwner(parts, "berta");
    expect(await answerTo(parts, berta.user, newer[0])).toEqual(wrong);
    await makeCodes(parts, berta.user.id);
    expect(await answerTo(parts, berta.user, newer[0])).toEqual(wrong);
    expect(await answerTo(parts, user, codes[0])).toEqual(wrong);
    expect(await answerTo(parts, user, newer[0])).toMatchObject({ kind: "verified" });
  });

  it("costs an attempt like every factor", async () => {
    const { parts, user, codes } = await ownerOfCodes(dialect);
    for (let n = 0; n < 5; n += 1) expect(await answerTo(parts, user, "00000-00000")).toEqual(wrong);
    expect(await answerTo(parts, user, codes[0])).toEqual({ kind: "throttled", retryAfterSeconds: 300 });
  });
});

describe("a set of recovery codes", () => {
  it("is ten different codes of two groups of five, of characters that do not look alike", async () => {
    const { codes } = await ownerOfCodes("sqlite");
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
  });

  it("is stored as argon2id hashes with one salt of its own, and works", async () => {
    const hasher = createPasswordHasher({ lanes: 1 });
    const { parts, user, codes } = await ownerOfCodes("sqlite", { hasher });
    const rows = await parts.store.q.select().from(parts.store.t.recoveryCodes);
    const hash = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$([A-Za-z0-9+/]{22})\$[A-Za-z0-9+/]{43}$/;
    expect(new Set(rows.map(({ codeHash }) => hash.exec(codeHash)?.[1])).size).toBe(1);
    expect(new Set(rows.map(({ codeHash }) => codeHash)).size).toBe(10);
    const everything = JSON.stringify(rows) + parts.lines.join("");
    for (const code of codes) for (const part of code.split("-")) expect(everything).not.toContain(part);
    expect(rows[0]?.codeHash).toMatch(hash);
    expect(await answerTo(parts, user, codes[9] ?? "")).toMatchObject({ kind: "verified" });
    expect(await answerTo(parts, user, "00000-00000")).toEqual(wrong);
  });

  it("is made for nobody without a factor", async () => {
    const parts = installation(await withStore("sqlite"));
    const { id: userId } = await putUser(parts.store, { username: "anna" });
    expect(await createRecoveryCodes(parts, { userId, ...facts })).toEqual({ kind: "no factor" });
    expect(await parts.store.q.$count(parts.store.t.recoveryCodes)).toBe(0);
  });

  it("checked while too many hashes wait says so, and costs no attempt", async () => {
    const { parts, user, codes } = await ownerOfCodes("sqlite");
    const hashLike = () => Promise.reject(new DomainError("overloaded"));
    const busy = { ...parts, hasher: { ...parts.hasher, hashLike } };
    for (let n = 0; n < 6; n += 1) {
      await expect(answerTo(busy, user, codes[0])).rejects.toSatisfy((error) => hasCode(error, "overloaded"));
    }
    expect(await answerTo(parts, user, codes[0])).toMatchObject({ kind: "verified" });
  });
});
