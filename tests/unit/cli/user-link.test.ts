import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createInstallation } from "./terminal.ts";

const ADD = ["user", "add", "anna.berger", "--display-name", "Anna Berger"];
const INVITE = ["user", "invite", "anna.berger"];
const LINK = ["user", "link", "anna.berger", "--password-reset"];
const FACTORS = ["user", "link", "anna.berger", "--mfa-reset"];
const SETTINGS = ["user", "link", "anna.berger", "--manage"];
const linkSchema = z.strictObject({ url: z.url(), expires_at: z.iso.datetime() });

describe.each([
  { kind: "--password-reset", link: LINK, path: "/password-reset/reset-form", note: "Single-use" },
  { kind: "--mfa-reset", link: FACTORS, path: "/mfa-reset/reset-form", note: "remove all second factors" },
])("user link $kind", ({ link, path, note }) => {
  // Proves requirement 76.
  it("prints a link of this installation, and nothing else on standard output", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const { exitCode, stdout, stderr } = await gatehouse(link);
    const url = new URL(stdout.trim());
    expect([exitCode, url.origin, url.pathname]).toEqual([0, "http://localhost:3000", path]);
    expect(url.searchParams.get("reset_token")).toMatch(/^[\w-]{43}$/);
    expect(stderr).toContain(note);
  });

  it("prints the expiry in JSON: an hour from now", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const { expires_at } = linkSchema.parse((await gatehouse([...link, "--json"])).json());
    const minutes = (Date.parse(expires_at) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(58);
    expect(minutes).toBeLessThanOrEqual(60);
  });

  it("ends with 4 for an unknown user, with 5 for a blocked one", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(link)).exitCode).toBe(4);
    await gatehouse(ADD);
    await gatehouse(["user", "block", "anna.berger"]);
    const refused = await gatehouse(link);
    expect([refused.exitCode, refused.stdout]).toEqual([5, ""]);
    expect(refused.stderr).toContain("unblock");
  });
});

describe("user link", () => {
  it("ends with 2 without its kind", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    expect((await gatehouse(["user", "link", "anna.berger"])).exitCode).toBe(2);
  });

  it("ends with 2 together with --password-reset, in either order: a link is of one kind", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    for (const args of [
      [...FACTORS, "--password-reset"],
      [...LINK, "--mfa-reset"],
    ]) {
      const { exitCode, stdout, stderr } = await gatehouse(args);
      expect([exitCode, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("cannot be used with");
    }
  });
});

describe("user link --manage", () => {
  const APP = [
    "client",
    "add",
    "--id",
    "suite",
    "--name",
    "Suite",
    "--redirect-uri",
    "https://suite.example/back",
    "--everyone",
  ];
  const WAY_BACK = ["--may-open-settings", "--settings-return-uri", "https://suite.example/account"];

  it("prints a link to the settings that is good for a quarter of an hour", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const { exitCode, stdout, stderr } = await gatehouse(SETTINGS);
    const url = new URL(stdout.trim());
    expect([exitCode, url.origin, url.pathname]).toEqual([0, "http://localhost:3000", "/manage"]);
    expect(url.searchParams.get("t")).toMatch(/^[\w-]{43}$/);
    expect(stderr).toContain("login settings");
    const { expires_at } = linkSchema.parse((await gatehouse([...SETTINGS, "--json"])).json());
    const minutes = (Date.parse(expires_at) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(13);
    expect(minutes).toBeLessThanOrEqual(15);
  });

  it("accepts only a return URL of an application that may open the settings", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    await gatehouse([...APP, ...WAY_BACK]);
    expect((await gatehouse([...SETTINGS, "--return-to", "https://suite.example/account"])).exitCode).toBe(0);
    for (const url of [
      "https://suite.example/account/",
      "https://evil.example/",
      "//evil.example",
      "javascript:alert(1)",
    ]) {
      const { exitCode, stdout, stderr } = await gatehouse([...SETTINGS, "--return-to", url]);
      expect([exitCode, stdout]).toEqual([5, ""]);
      expect(stderr).toContain("settings-return-uri");
    }
  });

  it("ends with 4 for an unknown user, with 5 for a blocked one, with 2 with another kind", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(SETTINGS)).exitCode).toBe(4);
    await gatehouse(ADD);
    expect((await gatehouse([...SETTINGS, "--mfa-reset"])).exitCode).toBe(2);
    expect((await gatehouse([...LINK, "--manage"])).exitCode).toBe(2);
    expect((await gatehouse([...LINK, "--return-to", "https://suite.example/account"])).exitCode).toBe(2);
    await gatehouse(["user", "block", "anna.berger"]);
    expect((await gatehouse(SETTINGS)).exitCode).toBe(5);
  });
});

describe("user invite", () => {
  it("queues a mail for a user without a password, and prints the address", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse([...ADD, "--email", "anna@office.example"])).stderr).toContain("user invite anna.berger");
    const { exitCode, stdout } = await gatehouse(INVITE);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("anna@office.example");
    expect(stdout).not.toContain("reset_token");
    const queue = (await gatehouse(["mail", "queue", "--json"])).json();
    expect(queue).toMatchObject([{ kind: "invitation", recipient: "anna@office.example" }]);
    expect((await gatehouse([...INVITE, "--json"])).json()).toMatchObject({ email: "anna@office.example" });
  });

  it("ends with 4 for an unknown user, with 5 if the user cannot be invited, and queues nothing", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(INVITE)).exitCode).toBe(4);
    await gatehouse(ADD);
    const mailless = await gatehouse(INVITE);
    expect([mailless.exitCode, mailless.stdout]).toEqual([5, ""]);
    expect(mailless.stderr).toContain("no mail address");
    await gatehouse(["user", "set", "anna.berger", "--email", "anna@office.example"]);
    await gatehouse(["user", "set-password", "anna.berger", "--password-stdin"], { input: "Ledger-Window-27-Oak" });
    expect((await gatehouse(INVITE)).stderr).toContain("already has a password");
    await gatehouse(["user", "block", "anna.berger"]);
    expect((await gatehouse(INVITE)).exitCode).toBe(5);
    const queue = (await gatehouse(["mail", "queue", "--json"])).json();
    expect(queue).toMatchObject([{ kind: "password-changed" }]);
  });
});

describe("user add --invite", () => {
  it("adds the user and queues the invitation", async () => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stderr } = await gatehouse([...ADD, "--email", "anna@office.example", "--invite"]);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("anna@office.example")]);
    const queue = (await gatehouse(["mail", "queue", "--json"])).json();
    expect(queue).toMatchObject([{ kind: "invitation", recipient: "anna@office.example" }]);
  });

  it("ends with 2 without an address, or with a password, and adds no user", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse([...ADD, "--invite"])).exitCode).toBe(2);
    const both = [...ADD, "--email", "anna@office.example", "--invite", "--password-stdin"];
    expect((await gatehouse(both, { input: "Ledger-Window-27-Oak" })).exitCode).toBe(2);
    expect((await gatehouse(["user", "show", "anna.berger"])).exitCode).toBe(4);
  });
});
