import { describe, expect, it, onTestFinished } from "vitest";
import { replaceRecoveryCodes } from "#app/db/repositories/recovery-codes.server.ts";
import { findUserByUsername } from "#app/db/repositories/users.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { createPasswordHasher } from "#app/domain/password/hash.server.ts";
import { createInstallation, createNewInstallation, type Installation } from "./terminal.ts";

const GOOD = "Ledger-Window-27-Oak";
const ADD = ["user", "add", "anna.berger", "--display-name", "Anna Berger"];

/** Returns whether this is the password of the user. */
async function isPasswordOf({ env }: Installation, username: string, password: string): Promise<boolean> {
  const store = await openStore({ dialect: "sqlite", file: env["DATABASE_URL"]?.replace("sqlite:", "") ?? "" });
  onTestFinished(() => store.close());
  const user = await findUserByUsername(store, username);
  return (await createPasswordHasher().verify(user?.passwordHash ?? null, password)).ok;
}

describe("user add", () => {
  it("works on an empty database and prints the new id", async () => {
    const { gatehouse } = await createNewInstallation();
    const added = await gatehouse([...ADD, "--json"]);
    expect(added.exitCode).toBe(0);
    expect(added.json()).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });

  it("stores all options", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(["group", "add", "North"]);
    await gatehouse([
      ...ADD,
      ...["--email", "anna@example.com", "--phone", "+49 40 5550101", "--group", "North", "--locale", "de"],
      ...["--permission", "orders", "--permission", "claims"],
      ...["--picture", "https://pictures.example/anna.png"],
      ...["--address", "street_address=Hafenstr. 1", "--address", "locality=Kiel", "--address", "country=DE"],
    ]);
    expect((await gatehouse(["user", "show", "ANNA.BERGER", "--json"])).json()).toMatchObject({
      username: "anna.berger",
      email: "anna@example.com",
      phone: "+49 40 5550101",
      group: "North",
      locale: "de",
      permissions: ["orders", "claims"],
      picture: "https://pictures.example/anna.png",
      address: { street_address: "Hafenstr. 1", locality: "Kiel", country: "DE" },
      status: "active",
    });
    const { stdout } = await gatehouse(["user", "show", "anna.berger"]);
    expect(stdout).toMatch(/^picture +https:\/\/pictures\.example\/anna\.png$/m);
    expect(stdout).toMatch(/^address +street_address: Hafenstr\. 1$/m);
    expect(stdout).toMatch(/^ +locality: Kiel$/m);
  });

  it.each([
    ["a picture over http", ["--picture", "http://pictures.example/anna.png"], "--picture"],
    ["a picture of another scheme", ["--picture", "data:image/png;base64,AAAA"], "--picture"],
    ["a picture that is a script", ["--picture", "javascript:alert(1)"], "--picture"],
    ["a picture with credentials", ["--picture", "https://anna:secret@pictures.example/"], "--picture"],
    ["a picture with a space", ["--picture", "https://pictures.example/a b.png"], "--picture"],
    ["a picture with a line break", ["--picture", "https://pictures.example/\na.png"], "--picture"],
    ["a picture that ends a directive", ["--picture", "https://pictures.example;script-src/"], "--picture"],
    ["a picture of 2049 characters", ["--picture", `https://p.example/${"a".repeat(2_031)}`], "--picture"],
    ["an unknown member of the address", ["--address", "town=Kiel"], "town"],
    ["an address without a member", ["--address", "Kiel"], "--address"],
    ["an empty member of the address", ["--address", "locality="], "--address"],
    ["an unprintable member of the address", ["--address", "locality=Ki\u0007el"], "--address"],
  ])("refuses %s", async (_what, options, message) => {
    const { gatehouse } = await createInstallation();
    const added = await gatehouse([...ADD, ...options]);
    expect([added.exitCode, added.stdout]).toEqual([2, ""]);
    expect(added.stderr).toContain(message);
    expect((await gatehouse(["user", "show", "anna.berger"])).exitCode).toBe(4);
  });

  it("accepts a picture of 2048 characters and an address of several lines", async () => {
    const { gatehouse } = await createInstallation();
    const picture = `https://p.example/${"a".repeat(2_030)}`;
    await gatehouse([...ADD, "--picture", picture, "--address", "formatted=Hafenstr. 1\n24103 Kiel"]);
    expect((await gatehouse(["user", "show", "anna.berger", "--json"])).json()).toMatchObject({
      picture,
      address: { formatted: "Hafenstr. 1\n24103 Kiel" },
    });
  });

  it("is shown with second factors, connected accounts and sessions", async () => {
    const { gatehouse, env } = await createInstallation();
    await gatehouse(ADD);
    const store = await openStore({ dialect: "sqlite", file: env["DATABASE_URL"]?.replace("sqlite:", "") ?? "" });
    onTestFinished(() => store.close());
    const user = await findUserByUsername(store, "anna.berger");
    await store.tx((tx) =>
      replaceRecoveryCodes(tx, user?.id ?? "", { codeHashes: ["first", "second"], now: new Date() }),
    );
    const { stdout } = await gatehouse(["user", "show", "anna.berger"]);
    expect(stdout).toMatch(/^authenticator app +no$/m);
    expect(stdout).toMatch(/^security keys +0$/m);
    expect(stdout).toMatch(/^recovery codes left +2$/m);
    expect(stdout).toMatch(/^connected accounts +none$/m);
    expect(stdout).toMatch(/^sessions +0$/m);
    expect((await gatehouse(["user", "show", "anna.berger", "--json"])).json()).toMatchObject({
      factors: { totp: 0, security_keys: 0, recovery_codes_left: 2 },
      accounts: [],
      sessions: 0,
    });
  });

  it("prints how to set the password when none was given", async () => {
    const { gatehouse } = await createInstallation();
    const { stderr } = await gatehouse(ADD);
    expect(stderr).toContain("gatehouse user set-password anna.berger");
  });

  it("refuses a name that is taken, in any spelling, with 5", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const again = await gatehouse(["user", "add", "Anna.Berger", "--display-name", "Another"]);
    expect(again.exitCode).toBe(5);
    expect(again.stderr).toContain("already");
  });

  it("ends with 4 when the group is not there", async () => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stderr } = await gatehouse([...ADD, "--group", "South"]);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('no group "South"');
  });

  it("ends with 2 and names every wrong option", async () => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stderr } = await gatehouse([
      ...ADD,
      "--email",
      "nowhere",
      "--locale",
      "x",
      "--permission",
      "a b",
    ]);
    expect(exitCode).toBe(2);
    for (const option of ["--email", "--locale", "--permission"]) expect(stderr).toContain(option);
  });

  it.each(["", "anna berger", "аnna"])("ends with 2 for %j, which is not a user name", async (name) => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(["user", "add", name, "--display-name", "Anna"])).exitCode).toBe(2);
  });
});

describe("a password from standard input", () => {
  it.each([
    ["with a line break at its end", `${GOOD}\n`],
    ["with a line break of Windows", `${GOOD}\r\n`],
    ["without one", GOOD],
  ])("is read %s", async (_how, input) => {
    const installation = await createInstallation();
    expect((await installation.gatehouse([...ADD, "--password-stdin"], { input })).exitCode).toBe(0);
    expect(await isPasswordOf(installation, "anna.berger", GOOD)).toBe(true);
  });

  it("keeps its blanks", async () => {
    const installation = await createInstallation();
    await installation.gatehouse([...ADD, "--password-stdin"], { input: `  ${GOOD} \n` });
    expect(await isPasswordOf(installation, "anna.berger", `  ${GOOD} `)).toBe(true);
  });

  it.each([
    ["too short", "Short1", "12 to 256 characters"],
    ["without an upper-case letter", "ledger-window-27-oak", "an upper-case letter"],
    ["without a lower-case letter", "LEDGER-WINDOW-27-OAK", "a lower-case letter"],
    ["without a digit", "Ledger-Window-Oak", "a digit"],
  ])("is refused with 5 when it is %s, and the rule is named", async (_what, input, rule) => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stdout, stderr } = await gatehouse([...ADD, "--password-stdin"], { input });
    expect(exitCode).toBe(5);
    expect(stderr).toContain(rule);
    expect(stdout + stderr).not.toContain(input);
    expect((await gatehouse(["user", "show", "anna.berger"])).exitCode).toBe(4);
  });

  it.each([
    ["nothing", ""],
    ["several lines", `${GOOD}\n${GOOD}\n`],
    ["far too much", "x".repeat(10_000)],
    ["a value that is not a string", new Uint8Array([0xff, 0xfe, 0xc3])],
  ])("ends with 2 when it contains %s", async (_what, input) => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse([...ADD, "--password-stdin"], { input })).exitCode).toBe(2);
  });
});

describe("user set-password", () => {
  it("replaces the password", async () => {
    const installation = await createInstallation();
    await installation.gatehouse([...ADD, "--password-stdin"], { input: GOOD });
    const set = await installation.gatehouse(["user", "set-password", "anna.berger", "--password-stdin"], {
      input: `${GOOD}-2`,
    });
    expect(set.exitCode).toBe(0);
    expect(await isPasswordOf(installation, "anna.berger", GOOD)).toBe(false);
    expect(await isPasswordOf(installation, "anna.berger", `${GOOD}-2`)).toBe(true);
  });

  it("prompts twice on a terminal without echo", async () => {
    const installation = await createInstallation();
    await installation.gatehouse(ADD);
    const set = await installation.gatehouse(["user", "set-password", "anna.berger"], { answers: [GOOD, GOOD] });
    expect(set.exitCode).toBe(0);
    expect(set.stdout + set.stderr).not.toContain(GOOD);
    expect(await isPasswordOf(installation, "anna.berger", GOOD)).toBe(true);
  });

  it.each([
    ["the second input differs", [GOOD, `${GOOD}!`]],
    ["the input is interrupted", []],
  ])("changes nothing when %s", async (_what, answers) => {
    const installation = await createInstallation();
    await installation.gatehouse(ADD);
    const set = await installation.gatehouse(["user", "set-password", "anna.berger"], { answers });
    expect(set.exitCode).toBe(2);
    expect(await isPasswordOf(installation, "anna.berger", GOOD)).toBe(false);
  });

  it("ends with 2 where there is neither a terminal nor --password-stdin", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const { exitCode, stderr } = await gatehouse(["user", "set-password", "anna.berger"], { input: GOOD });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--password-stdin");
  });
});

describe("user block and unblock", () => {
  it("change the status, which list and show print", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    expect((await gatehouse(["user", "block", "anna.berger"])).exitCode).toBe(0);
    expect((await gatehouse(["user", "list"])).stdout).toMatch(/^anna\.berger .*blocked/m);
    expect((await gatehouse(["user", "unblock", "anna.berger"])).exitCode).toBe(0);
    expect((await gatehouse(["user", "show", "anna.berger"])).stdout).toMatch(/^status +active$/m);
  });
});

describe("a user who is not there", () => {
  it.each([
    [["show", "nobody"]],
    [["block", "nobody"]],
    [["unblock", "nobody"]],
    [["set-password", "nobody", "--password-stdin"]],
  ])("%j ends with 4", async (args) => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stderr } = await gatehouse(["user", ...args], { input: GOOD });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('no user "nobody"');
  });
});

describe("no command", () => {
  it("shows a hash", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse([...ADD, "--password-stdin"], { input: GOOD });
    for (const args of [["list"], ["show", "anna.berger"]]) {
      const [plain, json] = [await gatehouse(["user", ...args]), await gatehouse(["user", ...args, "--json"])];
      expect(plain.stdout + json.stdout).not.toMatch(/argon2|hash/i);
    }
  });
});
