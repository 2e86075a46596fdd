import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { OLD_KEY_HOURS } from "#app/cli/old-keys.ts";
import { createGroup } from "#app/db/repositories/groups.server.ts";
import { invalidateEverything } from "#app/db/repositories/restore.server.ts";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import { putUserRole, removeUserRole } from "#app/db/repositories/user-roles.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { HelpKind, User } from "#app/db/schema.server.ts";
import type { Administrator } from "#app/domain/administration/administrator.ts";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import { findOpenHelp, type GiveOutcome, giveHelp } from "#app/domain/help-link/give.server.ts";
import { resetFactorsByHelp } from "#app/domain/help-link/new-device.server.ts";
import { setPasswordByHelp } from "#app/domain/help-link/new-password.server.ts";
import { redeemWords, WORDS_LIMITS } from "#app/domain/help-link/redeem.server.ts";
import { withdrawHelp } from "#app/domain/help-link/withdraw.server.ts";
import { SIGN_IN_LIMITS } from "#app/domain/password/throttle.server.ts";
import { createRecoveryCodes } from "#app/domain/recovery-code/create.server.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "#app/durations.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { queuedMails, storedEvents } from "#tests/unit/domain/access/stored.ts";
import { type Installation, installation, putUser } from "#tests/unit/domain/fixtures.ts";
import { putUserWithApp, wrongCode } from "#tests/unit/domain/second-factor/sign-in-fixtures.ts";

const META = { address: "192.0.2.1", userAgent: "", requestId: "r", browser: "b" };
const NEW = "Kiesel-Laterne-81";

describe.each(dialects)("help for a person who cannot sign in on %s", (dialect) => {
  let deps: Installation;
  let helpDesk: Administrator;
  let anna: User;
  let app: Awaited<ReturnType<typeof putUserWithApp>>;

  /** Helga, a help desk, and Anna, who has an app, an address and the password "x". */
  beforeEach(async () => {
    deps = installation(await withStore(dialect));
    const { store } = deps;
    const { id: userId, username, generation } = await putUser(store, { username: "helga", displayName: "Helga" });
    helpDesk = { userId, username, generation, role: "help-desk", officeId: null };
    await putUserRole(store, { userId, role: "help-desk", officeId: null, grantedAt: deps.clock.now() });
    app = await putUserWithApp(deps, "anna");
    const fields = { email: "anna@office.example", passwordHash: "plain:x", passwordSetHow: "settings" as const };
    await store.q.update(store.t.users).set(fields).where(isUser(app.user.id));
    anna = { ...app.user, ...fields };
  });

  function isUser(id: string) {
    return eq(deps.store.t.users.id, id);
  }

  const attempt = (kind: HelpKind = "new-device", hours: 1 | 8 | 24 = 1, by = helpDesk): Promise<GiveOutcome> =>
    giveHelp(deps, by, { ...META, personId: anna.id, kind, hours, language: "de" });

  async function give(kind: HelpKind = "new-device", hours: 1 | 8 | 24 = 1) {
    const outcome = await attempt(kind, hours);
    if (outcome.kind !== "given") throw new Error(JSON.stringify(outcome));
    const { words, url, expiresAt } = outcome.help;
    return { words, expiresAt, token: new URL(url).searchParams.get("help_token") ?? "" };
  }

  const redeem = (words: readonly string[] | string, username = "anna", address = META.address) =>
    redeemWords(deps, { ...META, address, username, words: typeof words === "string" ? words : words.join(" ") });
  const device = (bearer: string, password = "x") => resetFactorsByHelp(deps, { ...META, bearer, password });
  const password = (bearer: string, code = "", next = NEW) =>
    setPasswordByHelp(deps, { ...META, bearer, password: next, repeat: next, code });
  const hasApp = async () => (await findFactors(deps.store, anna.id)).totp;
  const passwordHash = async () => (await findUser(deps.store, anna.id))?.passwordHash;

  // Proves requirement 209.
  it("for a new device removes the factors once, with the password, and keeps the password", async () => {
    const { words } = await give();
    const redeemed = await redeem(words);
    const bearer = redeemed.kind === "accepted" ? redeemed.bearer : "";
    expect(await device(bearer, "y")).toEqual({ kind: "wrong password" });
    expect(await hasApp()).toBe(true);
    expect(await device(bearer)).toEqual({ kind: "done", needsSetUp: false });
    expect([await hasApp(), await passwordHash()]).toEqual([false, "plain:x"]);
    expect(await device(bearer)).toEqual({ kind: "error-token" });
    expect(await redeem(words)).toEqual({ kind: "refused" });
    const events = ["help.given", "help.refused", "help.used", "factor-reset.done", "help.refused"];
    expect(await storedEvents(deps.store)).toEqual(events);
    expect(await queuedMails(deps.store)).toEqual(["help-given", "mfa-reset-done"]);
  });

  it("given with an old key of SECRET_KEYS is over when that key is to be removed", async () => {
    const { words } = await give("new-device", 24);
    const secrets = createSecrets({ secretKeys: ["the new secret key"], epoch: 1 });
    deps.clock.advance(OLD_KEY_HOURS * HOUR_SECONDS);
    const typed = { ...META, username: "anna", words: words.join(" ") };
    expect(await redeemWords({ ...deps, secrets }, typed)).toEqual({ kind: "refused" });
    expect(await findOpenHelp(deps.store, anna.id, deps.clock.now())).toBeNull();
  });

  // Proves requirement 209.
  it("for a new password asks for a code, and keeps the factors", async () => {
    const { token } = await give("new-password");
    expect(await password(token)).toEqual({ kind: "wrong code" });
    expect(await password(token, await wrongCode({ ...deps, ...app }))).toEqual({ kind: "wrong code" });
    expect(await password(token, await app.codeAt(0), "short")).toMatchObject({ kind: "refused" });
    expect(await passwordHash()).toBe("plain:x");
    const code = await app.codeAt(0);
    expect(await password(token, code)).toEqual({ kind: "done", username: "anna", isFirst: false });
    expect([await hasApp(), await passwordHash()]).toEqual([true, `plain:${NEW}`]);
    expect(await password(token, await app.codeAt(1))).toEqual({ kind: "error-token" });
    expect(await queuedMails(deps.store)).toEqual(["help-given", "password-changed"]);
  });

  it("for a new password accepts a recovery code, which is used up", async () => {
    const { generation } = anna;
    const made = await createRecoveryCodes(deps, { userId: anna.id, generation });
    const [code = ""] = made.kind === "made" ? made.codes : [];
    const { token } = await give("new-password");
    expect((await password(token, code)).kind).toBe("done");
    expect((await findFactors(deps.store, anna.id)).recoveryCodesLeft).toBe(9);
    expect(await queuedMails(deps.store)).toContain("recovery-code-used");
  });

  it("for a new password asks a person without a factor for no code", async () => {
    const { store } = deps;
    await store.q.delete(store.t.totpCredentials);
    const { token } = await give("new-password");
    expect((await password(token)).kind).toBe("done");
  });

  // Proves requirement 209.
  it("does not open the other change", async () => {
    const { token } = await give("new-device");
    expect(await password(token, await app.codeAt(0))).toEqual({ kind: "error-token" });
    const { token: other } = await give("new-device");
    expect(await device(token)).toEqual({ kind: "error-token" });
    expect((await device(other)).kind).toBe("done");
  });

  // Proves requirement 210.
  it("is used once by two at once, by words and by the link", async () => {
    const { words, token } = await give();
    const redeemed = await redeem(words);
    const bearer = redeemed.kind === "accepted" ? redeemed.bearer : "";
    const kinds = (await Promise.all([device(bearer), device(token), device(bearer)])).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["done", "error-token", "error-token"]);
    expect((await storedEvents(deps.store)).filter((type) => type === "help.used")).toHaveLength(1);
  });

  // Proves requirement 210.
  it.each<[string, () => Promise<unknown>]>([
    ["expired", async () => deps.clock.advance(HOUR_SECONDS)],
    ["withdrawn", () => withdrawHelp(deps, helpDesk, { ...META, personId: anna.id })],
    ["replaced", () => give()],
    ["the person changed", () => incrementGeneration(deps.store, anna.id, { expected: null, now: deps.clock.now() })],
    ["the person is blocked", () => blockUser(deps, "anna")],
    ["the giver is blocked", () => blockUser(deps, "helga")],
    ["the giver lost the role", () => removeUserRole(deps.store, helpDesk.userId)],
    ["the giver helps another office now", () => limitToOffice()],
    ["the person has a higher role now", () => promote()],
    ["the giver was removed", () => deps.store.q.delete(deps.store.t.users).where(isUser(helpDesk.userId))],
    ["the database was restored", () => deps.store.tx((tx) => invalidateEverything(tx, { totpStep: 0 }))],
  ])("is invalid if %s", async (_why, change) => {
    const { words, token } = await give();
    const redeemed = await redeem(words);
    await change();
    expect(await redeem(words)).toEqual({ kind: "refused" });
    expect(await device(token)).toEqual({ kind: "error-token" });
    expect(await device(redeemed.kind === "accepted" ? redeemed.bearer : "")).toEqual({ kind: "error-token" });
    expect(await hasApp()).toBe(true);
  });

  async function limitToOffice() {
    const at = deps.clock.now();
    const office = await createGroup(deps.store, { id: "g", name: "Nord", createdAt: at });
    const role = { userId: helpDesk.userId, role: "help-desk", officeId: office.id, grantedAt: at } as const;
    await deps.store.tx((tx) => putUserRole(tx, role));
  }

  function promote() {
    const role = { userId: anna.id, role: "administrator", officeId: null, grantedAt: deps.clock.now() } as const;
    return deps.store.tx((tx) => putUserRole(tx, role));
  }

  // Proves requirement 211.
  it("is given for one kind of change in 24 hours, also after it was used", async () => {
    const { token } = await give("new-device", 24);
    expect(await attempt("new-password")).toMatchObject({ kind: "refused", refusal: { kind: "other kind" } });
    deps.clock.advance(20 * HOUR_SECONDS);
    expect((await device(token)).kind).toBe("done");
    deps.clock.advance(DAY_SECONDS - 1);
    expect(await attempt("new-password")).toMatchObject({ kind: "refused", refusal: { kind: "other kind" } });
    deps.clock.advance(1);
    expect((await attempt("new-password")).kind).toBe("given");
  });

  // Proves requirement 211.
  it("of the other kind is possible after unused help was withdrawn, not after it expired", async () => {
    await give("new-password");
    await withdrawHelp(deps, helpDesk, { ...META, personId: anna.id });
    await give("new-device");
    deps.clock.advance(HOUR_SECONDS);
    expect((await attempt("new-password")).kind).toBe("refused");
    await give("new-device");
    expect(await withdrawHelp(deps, helpDesk, { ...META, personId: anna.id })).toEqual({ kind: "withdrawn" });
    expect(await withdrawHelp(deps, helpDesk, { ...META, personId: anna.id })).toEqual({ kind: "none" });
    expect((await attempt("new-password")).kind).toBe("refused");
  });

  // Proves requirement 211.
  it("is open once for a person, whoever gives it at once", async () => {
    const kinds = await Promise.all([attempt("new-device"), attempt("new-password"), attempt("new-device")]);
    const given = kinds.filter(({ kind }) => kind === "given");
    expect(given.length).toBeLessThan(3);
    const { store } = deps;
    const open = (await store.q.select().from(store.t.helpLinks)).filter(({ withdrawnAt }) => withdrawnAt === null);
    expect(open).toHaveLength(1);
    expect(await findOpenHelp(store, anna.id, deps.clock.now())).toMatchObject({ kind: open[0]?.kind, by: "Helga" });
  });

  // Proves requirement 212.
  it("is not given to oneself, to a person of a higher role, of another office, or without the role", async () => {
    const self = { ...META, personId: helpDesk.userId, kind: "new-password", hours: 1, language: "de" } as const;
    expect((await giveHelp(deps, helpDesk, self)).kind).toBe("not allowed");
    await promote();
    expect((await attempt()).kind).toBe("not allowed");
    await removeUserRole(deps.store, anna.id);
    await limitToOffice();
    expect((await attempt("new-device", 1, { ...helpDesk, officeId: "g" })).kind).toBe("not found");
    await removeUserRole(deps.store, helpDesk.userId);
    expect((await attempt()).kind).toBe("not found");
    expect(await storedEvents(deps.store)).toEqual([]);
  });

  it("is refused if there is nothing that it could open", async () => {
    const { store } = deps;
    await store.q.update(store.t.users).set({ passwordHash: null }).where(isUser(anna.id));
    expect(await attempt("new-device")).toMatchObject({ refusal: { kind: "no password" } });
    await store.q.update(store.t.users).set({ passwordHash: "plain:x" }).where(isUser(anna.id));
    await store.q.delete(store.t.totpCredentials);
    expect(await attempt("new-device")).toMatchObject({ refusal: { kind: "no factor" } });
    await blockUser(deps, "anna");
    expect(await attempt("new-password")).toMatchObject({ refusal: { kind: "blocked" } });
  });

  // Proves requirement 213.
  it("is opened by its words alone, for its person, in many spellings", async () => {
    const { words } = await give();
    const refused = { kind: "refused" };
    expect(await redeem([...words].reverse())).toEqual(refused);
    expect(await redeem(words.slice(0, 5))).toEqual(refused);
    expect(await redeem(words, "helga")).toEqual(refused);
    expect(await redeem(words, "unknown")).toEqual(refused);
    expect(await redeem("")).toEqual(refused);
    const typed = words.map((word, index) => `${index + 1}. ${word.toUpperCase().replaceAll("Ä", "AE")}`).join(" - ");
    expect((await redeem(`  ${typed}, `, "ANNA@office.example")).kind).toBe("refused");
    await deps.store.q.update(deps.store.t.users).set({ emailVerified: true }).where(isUser(anna.id));
    expect((await redeem(typed)).kind).toBe("accepted");
  });

  // Proves requirement 213.
  it("throttles words by user name and by address, of unknown users in the same way", async () => {
    const { words } = await give();
    for (const name of ["anna", "unknown"]) {
      for (let count = 0; count < WORDS_LIMITS.name.points; count += 1) {
        expect(await redeem("a b c d e f", name, `192.0.2.${count}`)).toEqual({ kind: "refused" });
      }
      expect(await redeem(words, name, "198.51.100.1")).toEqual({ kind: "throttled", retryAfterSeconds: 900 });
    }
    deps.clock.advance(15 * MINUTE_SECONDS);
    for (let count = 0; count < WORDS_LIMITS.address.points; count += 1) await redeem("a", `name-${count}`);
    expect((await redeem(words)).kind).toBe("throttled");
    expect((await redeem(words, "anna", "198.51.100.1")).kind).toBe("accepted");
  });

  // Proves requirement 213.
  it("throttles passwords and codes as those of sign-ins", async () => {
    const { token } = await give();
    for (let count = 0; count < SIGN_IN_LIMITS.name.points; count += 1) await device(token, "y");
    expect((await device(token)).kind).toBe("throttled");
    expect(await hasApp()).toBe(true);
  });

  it("cannot be opened with a bearer that this server did not make", async () => {
    await give();
    const [link] = await deps.store.q.select().from(deps.store.t.helpLinks);
    for (const bearer of ["", ".", `${link?.id}.`, `${link?.id}.${"a".repeat(43)}`, link?.tokenHash ?? "", "\0"]) {
      expect(await device(bearer)).toEqual({ kind: "error-token" });
    }
  });
});
