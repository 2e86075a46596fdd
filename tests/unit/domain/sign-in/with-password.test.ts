import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { listAuditEvents, listLastAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { createGroup } from "#app/db/repositories/groups.server.ts";
import { findUser, setUserPassword, setUserStatus } from "#app/db/repositories/users.server.ts";
import type { NewUser } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import { DomainError, hasCode } from "#app/domain/base/errors.ts";
import { createPasswordHasher, type PasswordHasher } from "#app/domain/password/hash.server.ts";
import { type PasswordSignInInput, signInWithPassword } from "#app/domain/sign-in/with-password.server.ts";
import { unlockUser } from "#app/domain/user/unlock.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { countingStore, holdCalls, installation, putUser, quickHasher, random } from "#tests/unit/domain/fixtures.ts";

const PASSWORD = "Correct horse 1";
const argon2 = createPasswordHasher();

/** Creates the dependencies of a sign-in; `attempt` is one attempt, from a new browser by default. */
function signInDeps(store: Store, hasher: PasswordHasher = argon2) {
  const context = { ...installation(store), hasher };
  const { clock, lines } = context;
  function attempt(input: Partial<PasswordSignInInput>) {
    return signInWithPassword(context, {
      uid: random.token(),
      username: "anna",
      password: PASSWORD,
      browser: random.token(),
      address: "192.0.2.1",
      userAgent: "Test browser",
      requestId: "7f3k-92qd",
      clientId: "suite",
      ...input,
    });
  }
  return { context, clock, lines, attempt };
}

/** Creates a hasher whose checks wait until `release` is called; `started` resolves when `count` of them wait. */
function heldHasher(hasher: PasswordHasher, count = 1) {
  const { pass, ...held } = holdCalls(count);
  const verify: PasswordHasher["verify"] = async (hash, password) => {
    await pass();
    return hasher.verify(hash, password);
  };
  return { hasher: { ...hasher, verify }, ...held };
}

async function storedTypes(store: Store): Promise<string[]> {
  return (await listAuditEvents(store, { after: 0, limit: 100 })).map(({ type }) => type);
}

describe.each(dialects)("password sign-in on %s", (dialect) => {
  it("the right password signs in, and the subject contains the user and the method", async () => {
    const store = await withStore(dialect);
    const anna = await putUser(store, { username: "Anna", passwordHash: await argon2.hash(PASSWORD) });
    const { attempt } = signInDeps(store);
    expect(await attempt({})).toEqual({
      kind: "signed-in",
      subject: {
        userId: anna.id,
        generation: anna.generation,
        displayName: "Anna",
        username: "Anna",
        locale: null,
        picture: null,
        amr: ["pwd"],
        acr: "urn:gatehouse:acr:password",
      },
    });
  });

  it("unknown user, wrong password, blocked user and user without a password: same result, one hash, same statements", async () => {
    const counting = countingStore(await withStore(dialect));
    const { store } = counting;
    const { hasher, counts } = quickHasher();
    await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    await putUser(store, { username: "blocked", passwordHash: `plain:${PASSWORD}`, status: "blocked" });
    await putUser(store, { username: "invited" });
    const { attempt } = signInDeps(store, hasher);
    const work: unknown[] = [];
    for (const [username, password] of [
      ["nobody", "wrong"],
      ["not a name!", "wrong"],
      ["anna", "wrong"],
      ["blocked", PASSWORD],
      ["blocked", "wrong"],
      ["invited", ""],
    ] as const) {
      const before = { ...counting.counts, verify: counts.verify };
      const response = await attempt({ username, password });
      work.push({
        response,
        statements: counting.counts.statements - before.statements,
        transactions: counting.counts.transactions - before.transactions,
        hashes: counts.verify - before.verify,
      });
    }
    expect(new Set(work.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(work[0]).toMatchObject({ response: { kind: "refused" }, hashes: 1, transactions: 1 });
  });

  it("a sign-in is one write transaction", async () => {
    const { store, counts } = countingStore(await withStore(dialect));
    const { hasher } = quickHasher();
    await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const { attempt } = signInDeps(store, hasher);
    counts.transactions = 0;
    await attempt({});
    expect(counts.transactions).toBe(1);
  });

  // Proves requirement 151.
  it("of 20 simultaneous wrong attempts 10 are refused, the others throttled", async () => {
    const store = await withStore(dialect);
    const { hasher } = quickHasher();
    await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const { attempt } = signInDeps(store, hasher);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => attempt({ password: `guess ${n}`, address: `198.51.100.${n}` })),
    );
    expect(responses.filter(({ kind }) => kind === "refused")).toHaveLength(10);
    expect(responses.filter(({ kind }) => kind === "throttled")).toHaveLength(10);
    expect((await storedTypes(store)).filter((type) => type === "sign-in.refused")).toHaveLength(10);
  });

  // Proves requirement 151.
  it("a right password is throttled if simultaneous attempts reach the limit while it is checked", async () => {
    const store = await withStore(dialect);
    const { hasher } = quickHasher();
    await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const { attempt, lines } = signInDeps(store, hasher);
    const known = random.token();
    await attempt({ browser: known });
    const late = heldHasher(hasher, 3);
    const slow = signInDeps(store, late.hasher);
    const rights = [{}, {}, { browser: known }].map((input) => slow.attempt(input));
    await late.started;
    await Promise.all(Array.from({ length: 30 }, () => attempt({ password: "wrong" })));
    late.release();
    const throttled = { kind: "throttled", retryAfterSeconds: 15 * 60 };
    expect(await Promise.all(rights)).toEqual([throttled, throttled, expect.objectContaining({ kind: "signed-in" })]);
    expect(await storedTypes(store)).toEqual([
      "sign-in.succeeded",
      ...Array(10).fill("sign-in.refused"),
      "sign-in.succeeded",
    ]);
    expect(lines.filter((line) => line.includes("sign-in.throttled"))).toHaveLength(20);
    expect(slow.lines.filter((line) => line.includes("sign-in.throttled"))).toHaveLength(2);
  });

  it("a throttled attempt with the right password takes no second hash, even if its hash is outdated", async () => {
    const store = await withStore(dialect);
    const { hasher, counts } = quickHasher();
    await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const late = heldHasher({
      ...hasher,
      verify: async (hash, password) => ({ ...(await hasher.verify(hash, password)), needsRehash: true }),
    });
    const right = signInDeps(store, late.hasher).attempt({});
    await late.started;
    const { attempt } = signInDeps(store, hasher);
    for (let n = 0; n < 10; n += 1) expect(await attempt({ password: "wrong" })).toEqual({ kind: "refused" });
    late.release();
    expect(await right).toMatchObject({ kind: "throttled" });
    expect(counts.hash).toBe(0);
  });

  it("attempts that end between the check and the answer are not counted", async () => {
    const store = await withStore(dialect);
    const { hasher } = quickHasher();
    await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const never = heldHasher(hasher, 30);
    for (let n = 0; n < 30; n += 1) void signInDeps(store, never.hasher).attempt({ password: "wrong" });
    await never.started;
    expect(await signInDeps(store, hasher).attempt({})).toMatchObject({ kind: "signed-in" });
    expect(await store.q.$count(store.t.rateLimits)).toBe(0);
  });

  it("20 simultaneous right sign-ins of one user leave no count", async () => {
    const store = await withStore(dialect);
    const { hasher } = quickHasher();
    await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const { attempt } = signInDeps(store, hasher);
    const browser = random.token();
    await attempt({ browser });
    await Promise.all(Array.from({ length: 8 }, () => attempt({ browser })));
    await Promise.all(Array.from({ length: 8 }, () => attempt({})));
    for (let n = 0; n < 10; n += 1) expect(await attempt({ password: "wrong" })).toEqual({ kind: "refused" });
    expect(await attempt({ password: "wrong" })).toMatchObject({ kind: "throttled" });
  });

  it("a user who is blocked while the password is checked is refused", async () => {
    const store = await withStore(dialect);
    const { hasher } = quickHasher();
    const anna = await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const during: PasswordHasher = {
      ...hasher,
      async verify(hash, password) {
        await setUserStatus(store, anna.id, "blocked", new Date());
        return hasher.verify(hash, password);
      },
    };
    const { attempt } = signInDeps(store, during);
    expect(await attempt({})).toEqual({ kind: "refused" });
  });

  it("a user who is blocked while the right password is checked is counted like any refused attempt", async () => {
    const store = await withStore(dialect);
    const { hasher } = quickHasher();
    const anna = await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const late = heldHasher(hasher, 20);
    const rights = Array.from({ length: 20 }, () => signInDeps(store, late.hasher).attempt({}));
    await late.started;
    await setUserStatus(store, anna.id, "blocked", new Date());
    late.release();
    const kinds = (await Promise.all(rights)).map(({ kind }) => kind).sort();
    expect(kinds).toEqual([...Array(10).fill("refused"), ...Array(10).fill("throttled")]);
    expect(await storedTypes(store)).toEqual(Array(10).fill("sign-in.refused"));
  });

  it("a password that changes while the old one is checked stays, and the old one is refused", async () => {
    const store = await withStore(dialect);
    const { hasher } = quickHasher();
    const anna = await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const during: PasswordHasher = {
      ...hasher,
      async verify(hash, password) {
        await setUserPassword(store, anna.id, { hash: "plain:Another one 2", how: "settings", at: new Date() });
        return { ...(await hasher.verify(hash, password)), needsRehash: true };
      },
    };
    const { attempt } = signInDeps(store, during);
    expect(await attempt({})).toEqual({ kind: "refused" });
    expect((await findUser(store, anna.id))?.passwordHash).toBe("plain:Another one 2");
  });

  it("a password that changes while the old one is hashed again stays", async () => {
    const store = await withStore(dialect);
    const { hasher } = quickHasher();
    const anna = await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const during: PasswordHasher = {
      ...hasher,
      verify: async () => ({ ok: true, needsRehash: true }),
      async hash(password) {
        await setUserPassword(store, anna.id, { hash: "plain:Another one 2", how: "settings", at: new Date() });
        return `stronger:${password}`;
      },
    };
    await signInDeps(store, during).attempt({});
    expect((await findUser(store, anna.id))?.passwordHash).toBe("plain:Another one 2");
  });
});

describe.each(dialects)("sign-in with the e-mail address on %s", (dialect) => {
  const email = "anna@office.example";

  /** Stores Anna, whose address is verified; `attempt` makes one attempt with a fast hasher. */
  async function withAnna() {
    const counting = countingStore(await withStore(dialect));
    const { hasher, counts } = quickHasher();
    const passwordHash = `plain:${PASSWORD}`;
    const anna = await putUser(counting.store, { username: "anna", email, emailVerified: true, passwordHash });
    const put = (username: string, fields: Partial<NewUser>) =>
      putUser(counting.store, { username, passwordHash, ...fields });
    return { ...signInDeps(counting.store, hasher), counting, counts, anna, put };
  }

  it.each([email, "Anna@OFFICE.example", ` ${email}\t`, "ａnna@office.example", `\u200eanna@\u200boffice.example`])(
    "accepts %j",
    async (username) => {
      const { attempt } = await withAnna();
      expect(await attempt({ username })).toMatchObject({ kind: "signed-in", subject: { username: "anna" } });
    },
  );

  it("accepts an address that is stored with upper-case letters, and one that cannot be a user name", async () => {
    const { attempt, put } = await withAnna();
    await put("bernd", { email: "Bernd@Office.Example", emailVerified: true });
    await put("carla", { email: "carla+suite@office.example", emailVerified: true });
    for (const [username, typed] of [
      ["bernd", "bernd@office.example"],
      ["carla", "carla+suite@office.example"],
    ])
      expect(await attempt({ username: typed ?? "" })).toMatchObject({ kind: "signed-in", subject: { username } });
  });

  it.each([
    ["max@xn--mller-makler-dlb.example", "Max@MÜLLER-makler.example"],
    ["max@müller-makler.example", "max@XN--mller-makler-dlb.example"],
    ["JÖRG@office.example", "jo\u0308rg@office.example"],
    ["a&b@office.example", "A&B@office.example"],
  ])("accepts an address that was stored as %j and is typed as %j", async (stored, username) => {
    const { attempt, put } = await withAnna();
    await put("max", { email: stored, emailVerified: true });
    expect(await attempt({ username })).toMatchObject({ kind: "signed-in", subject: { username: "max" } });
  });

  // Proves requirement 152.
  it("counts both spellings of an address together", async () => {
    const { attempt, put } = await withAnna();
    await put("max", { email: "max@müller.example", emailVerified: true });
    for (let count = 0; count < 10; count += 1) await attempt({ username: "max@müller.example", password: "wrong" });
    expect(await attempt({ username: "max@xn--mller-kva.example" })).toMatchObject({ kind: "throttled" });
  });

  // Proves requirement 152.
  it("refuses an address that is not verified, is verified for a second user, or is that of a blocked one", async () => {
    const { attempt, put } = await withAnna();
    await put("bernd", { email: "bernd@office.example" });
    await put("carla", { email: "carla@office.example", emailVerified: true, status: "blocked" });
    for (const username of ["bernd@office.example", "carla@office.example", "nobody@office.example"])
      expect([username, await attempt({ username })]).toEqual([username, { kind: "refused" }]);
    await put("dora", { email: email.toUpperCase(), emailVerified: true });
    expect(await attempt({ username: email })).toEqual({ kind: "refused" });
    expect(await attempt({ username: "anna" })).toMatchObject({ kind: "signed-in" });
  });

  // Proves requirement 152.
  it("is not affected by other users with the same address, for whom it is not verified", async () => {
    const { attempt, put } = await withAnna();
    await put("eva", { email });
    await put("mallory", { email: email.toUpperCase() });
    expect(await attempt({ username: email })).toMatchObject({ kind: "signed-in", subject: { username: "anna" } });
  });

  // Proves requirement 152.
  it("signs in the user of this name, never the one of this address", async () => {
    const { attempt, put } = await withAnna();
    await put(email, { passwordHash: "plain:Another one 2" });
    expect(await attempt({ username: email })).toEqual({ kind: "refused" });
    const other = await attempt({ username: email, password: "Another one 2" });
    expect(other).toMatchObject({ kind: "signed-in", subject: { username: email } });
  });

  // Proves requirement 152.
  it("takes the same statements and one hash, and gets the same result, for every refusal", async () => {
    const { attempt, put, counting, counts } = await withAnna();
    await put("bernd", { email: "bernd@office.example" });
    await put("carla", { email: "Anna2@office.example", emailVerified: true, status: "blocked" });
    await put("dora", { email: "shared@office.example", emailVerified: true });
    await put("emil", { email: "shared@office.example", emailVerified: true });
    await put("name@office.example", {});
    const work: unknown[] = [];
    const typed = [email, "bernd@office.example", "anna2@office.example", "shared@office.example"];
    for (const username of [...typed, "name@office.example", "nobody@office.example", "no name+@office.example"]) {
      const before = { ...counting.counts, verify: counts.verify };
      const response = await attempt({ username, password: "wrong" });
      const { statements, transactions } = counting.counts;
      const hashes = counts.verify - before.verify;
      work.push({
        ...{ response, hashes },
        statements: statements - before.statements,
        transactions: transactions - before.transactions,
      });
    }
    expect(new Set(work.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(work[0]).toMatchObject({ response: { kind: "refused" }, hashes: 1, transactions: 1 });
  });

  // Proves requirement 152.
  it("gets no further attempts: beyond those with the name, the right password is refused like a wrong one", async () => {
    const { context, attempt } = await withAnna();
    const spellings = [email, "anna", "ANNA@office.example", "Anna"];
    for (let n = 0; n < 10; n += 1)
      expect(await attempt({ username: spellings[n % 4] ?? "", password: "wrong" })).toEqual({ kind: "refused" });
    for (const username of ["anna", email]) expect(await attempt({ username })).toEqual({ kind: "refused" });
    const [last] = await listLastAuditEvents(context.store, { limit: 1 });
    expect(last).toMatchObject({ type: "sign-in.refused", detail: { reason: "too many" } });
    await unlockUser(context, "anna");
    expect(await attempt({ username: email })).toMatchObject({ kind: "signed-in" });
  });

  // Proves requirement 152.
  it("does not reveal that name and address belong together, or exist: what was typed ten times is throttled", async () => {
    const { attempt } = await withAnna();
    const ends: unknown[] = [];
    for (const [tried, other] of [
      ["anna", email],
      ["nobody", "nobody@office.example"],
    ] as const) {
      for (let n = 0; n < 10; n += 1) await attempt({ username: tried, password: "wrong" });
      const throttled = await attempt({ username: tried });
      ends.push([throttled, await attempt({ username: other })]);
    }
    expect(ends[0]).toEqual([{ kind: "throttled", retryAfterSeconds: 900 }, { kind: "refused" }]);
    expect(ends[1]).toEqual(ends[0]);
  });

  // Proves requirement 152.
  it("takes the same statements once the attempts with the name are exhausted, for the right and for a wrong password", async () => {
    const { attempt, counting, counts } = await withAnna();
    for (let n = 0; n < 10; n += 1) await attempt({ username: "anna", password: "wrong" });
    const work: unknown[][] = [];
    for (const input of [
      { username: email, password: "wrong" },
      { username: email },
      { username: "nobody@office.example" },
    ]) {
      const before = { ...counting.counts, verify: counts.verify };
      const response = await attempt(input);
      const { statements, transactions } = counting.counts;
      const hashes = counts.verify - before.verify;
      work.push([response, hashes, statements - before.statements, transactions - before.transactions]);
    }
    expect(work[0]?.slice(0, 2)).toEqual([{ kind: "refused" }, 1]);
    expect(work.slice(1)).toEqual([work[0], work[0]]);
  });

  it("knows the browser in which the user signed in with the name, and records the user, not what was typed", async () => {
    const { attempt, anna, lines } = await withAnna();
    const browser = random.token();
    await attempt({ browser });
    for (let n = 0; n < 10; n += 1) await attempt({ username: email, password: "wrong" });
    expect(await attempt({ username: email })).toMatchObject({ kind: "throttled" });
    expect(await attempt({ username: email, browser })).toMatchObject({ kind: "signed-in" });
    const refused = lines.map((line) => JSON.parse(line)).find(({ event }) => event === "sign-in.refused");
    expect(refused).toMatchObject({ userId: anna.id, username: "anna", reason: "wrong password" });
  });
});

describe.each(dialects)("a name that no user has, on %s", (dialect) => {
  // Proves requirement 122.
  it("is stored as a keyed hash, the same for each spelling, and is in no log line: it may be a password", async () => {
    const store = await withStore(dialect);
    const { attempt, lines } = signInDeps(store, quickHasher().hasher);
    const typed = "Harbour-Kettle-93";
    for (const username of [typed, typed.toUpperCase(), "Another-Kettle-94"]) await attempt({ username });
    for (let n = 0; n < 10; n += 1) await attempt({ username: typed });
    const events = await store.q.select().from(store.t.auditEvents);
    const limits = await store.q.select().from(store.t.rateLimits);
    const hashes = events.slice(0, 3).map(({ detail }) => detail["nameHash"]);
    expect(hashes).toEqual([
      expect.stringMatching(/^[\w-]{43}$/),
      hashes[0],
      expect.not.stringMatching(`${hashes[0]}`),
    ]);
    const unkeyed = createHash("sha256").update(typed.toLowerCase()).digest("base64url");
    const written = JSON.stringify([events, limits]);
    for (const form of [/kettle/i, unkeyed]) expect(`${written}${lines.join("")}`).not.toMatch(form);
    expect(lines.join("")).not.toContain(`${hashes[0]}`);
  });
});

describe("password sign-in", () => {
  it.each(["ANNA.MÜLLER", "anna.mu\u0308ller", " Anna.Müller ", "ａｎｎａ.müller"])(
    "the user name may be typed as %j",
    async (username) => {
      const store = await withStore("sqlite");
      const { hasher } = quickHasher();
      await putUser(store, { username: "anna.müller", passwordHash: `plain:${PASSWORD}` });
      const { attempt } = signInDeps(store, hasher);
      expect(await attempt({ username })).toMatchObject({ kind: "signed-in" });
    },
  );

  it("higher parameters rehash the password at the next sign-in", async () => {
    const store = await withStore("sqlite");
    const setAt = new Date("2023-03-02T08:00:00.000Z");
    const hash = await argon2.hash(PASSWORD);
    const anna = await putUser(store, { username: "anna", passwordHash: hash, passwordSetAt: setAt });
    const stronger = createPasswordHasher({ parameters: { memoryKib: 19_456, passes: 3, parallelism: 1 } });
    const { attempt } = signInDeps(store, stronger);
    expect(await attempt({ password: "wrong" })).toEqual({ kind: "refused" });
    expect((await findUser(store, anna.id))?.passwordHash).toBe(hash);
    expect(await attempt({})).toMatchObject({ kind: "signed-in" });
    const after = await findUser(store, anna.id);
    expect(after?.passwordHash).toContain("m=19456,t=3,p=1");
    expect(after).toMatchObject({ generation: anna.generation, passwordSetAt: setAt });
    expect(await attempt({})).toMatchObject({ kind: "signed-in" });
  });

  it("without room for the new hash the sign-in succeeds with the old one", async () => {
    const store = await withStore("sqlite");
    await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const { attempt } = signInDeps(store, {
      ...quickHasher().hasher,
      verify: async () => ({ ok: true, needsRehash: true }),
      hash: () => Promise.reject(new DomainError("overloaded")),
    });
    expect(await attempt({})).toMatchObject({ kind: "signed-in" });
  });

  it("a password set three years ago still signs in", async () => {
    const store = await withStore("sqlite");
    const passwordSetAt = new Date("2023-03-02T08:00:00.000Z");
    await putUser(store, { username: "anna", passwordHash: await argon2.hash(PASSWORD), passwordSetAt });
    expect(await signInDeps(store).attempt({})).toMatchObject({ kind: "signed-in" });
  });

  it("an attempt that could not be checked because of overload is reported so and not counted", async () => {
    const store = await withStore("sqlite");
    const { hasher } = quickHasher();
    await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const overloaded = { ...hasher, verify: () => Promise.reject(new DomainError("overloaded")) };
    for (let n = 0; n < 12; n += 1) {
      await expect(signInDeps(store, overloaded).attempt({})).rejects.toSatisfy((e) => hasCode(e, "overloaded"));
    }
    expect(await signInDeps(store, hasher).attempt({})).toMatchObject({ kind: "signed-in" });
  });

  it("a right password that needs a second factor is not counted, and its browser is not known yet", async () => {
    const store = await withStore("sqlite");
    const { hasher } = quickHasher();
    const group = await createGroup(store, { id: "board", name: "Board", requireMfa: true, createdAt: new Date() });
    await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}`, groupId: group.id });
    const { attempt } = signInDeps(store, hasher);
    const browser = random.token();
    for (let n = 0; n < 12; n += 1) expect(await attempt({ browser })).toEqual({ kind: "second-factor-required" });
    for (let n = 0; n < 10; n += 1) await attempt({ password: "wrong" });
    expect(await attempt({ browser })).toMatchObject({ kind: "throttled" });
  });

  it("each attempt is one log line with time, user, client, address, outcome and request id, and no password", async () => {
    const store = await withStore("sqlite");
    const { hasher } = quickHasher();
    const anna = await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const { attempt, lines } = signInDeps(store, hasher);
    await attempt({});
    await attempt({ password: "Wrong horse 2" });
    await attempt({ username: "root\nevil=\u001b[31m1", password: "Wrong horse 2" });
    expect(lines).toHaveLength(3);
    const [success, wrong, unknownBrowser] = lines.map((line): Record<string, unknown> => JSON.parse(line));
    const same = { address: "192.0.2.1", clientId: "suite", requestId: "7f3k-92qd", at: "2026-03-02T08:00:15.000Z" };
    expect(success).toMatchObject({
      event: "sign-in.succeeded",
      outcome: "ok",
      userId: anna.id,
      reason: "pwd",
      ...same,
    });
    expect(wrong).toMatchObject({
      event: "sign-in.refused",
      outcome: "refused",
      userId: anna.id,
      reason: "wrong password",
      ...same,
    });
    expect(unknownBrowser).toMatchObject({
      reason: "unknown user",
      userId: null,
    });
    expect(unknownBrowser).not.toHaveProperty("username");
    expect(lines.join("")).not.toContain("horse");
  });

  it("the audit trail has a row for each result, but none for a throttled attempt", async () => {
    const store = await withStore("sqlite");
    const { hasher } = quickHasher();
    const anna = await putUser(store, { username: "anna", passwordHash: `plain:${PASSWORD}` });
    const { attempt, lines } = signInDeps(store, hasher);
    await attempt({});
    for (let n = 0; n < 15; n += 1) await attempt({ password: "wrong" });
    const rows = await listAuditEvents(store, { after: 0, limit: 100 });
    expect(rows.map(({ type }) => type)).toEqual(["sign-in.succeeded", ...Array(10).fill("sign-in.refused")]);
    expect(rows[0]).toMatchObject({ userId: anna.id, outcome: "ok", address: "192.0.2.1", requestId: "7f3k-92qd" });
    expect(rows[0]?.detail).toEqual({ reason: "pwd", userAgent: "Test browser" });
    expect(lines.filter((line) => line.includes("sign-in.throttled"))).toHaveLength(5);
  });
});
