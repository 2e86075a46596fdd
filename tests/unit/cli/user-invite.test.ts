import { describe, expect, it } from "vitest";
import { createInstallation } from "./terminal.ts";

const ADD = ["user", "add", "anna.berger", "--display-name", "Anna Berger"];
const INVITE = ["user", "invite", "anna.berger"];

describe("user invite", () => {
  it("queues a mail for a user without a password, and says where it goes", async () => {
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

  it("ends with 4 for a name that nobody has, with 5 for whom no invitation would help, and queues nothing", async () => {
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

  it("ends with 2 without an address, or with a password, and adds nobody", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse([...ADD, "--invite"])).exitCode).toBe(2);
    const both = [...ADD, "--email", "anna@office.example", "--invite", "--password-stdin"];
    expect((await gatehouse(both, { input: "Ledger-Window-27-Oak" })).exitCode).toBe(2);
    expect((await gatehouse(["user", "show", "anna.berger"])).exitCode).toBe(4);
  });
});
