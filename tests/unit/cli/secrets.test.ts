import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createInstallation } from "./terminal.ts";

const NEW = "another secret key that only the tests know";
const ADD = [
  "client",
  "add",
  "--id",
  "desk",
  "--name",
  "Desk",
  "--redirect-uri",
  "https://desk.example/",
  "--everyone",
];

describe("a new key", () => {
  it("replaces the old one: in front of it, then secrets reencrypt, then alone", async () => {
    const { env, gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const both = { SECRET_KEYS: `${NEW},${env["SECRET_KEYS"]}` };

    const early = await gatehouse(["client", "list"], { env: { SECRET_KEYS: NEW } });
    expect(early.exitCode).toBe(3);
    const done = await gatehouse(["secrets", "reencrypt", "--json"], { env: both });
    expect(done.exitCode).toBe(0);
    expect(done.json()).toMatchObject({ reencrypted: 1, current: 0, unreadable: [], finished: true });
    const { fingerprint } = z.object({ fingerprint: z.string() }).parse(done.json());

    const again = await gatehouse(["secrets", "reencrypt"], { env: { SECRET_KEYS: NEW } });
    expect([again.exitCode, again.stdout]).toEqual([0, "Re-encrypted 0 secrets; 1 already used the current key.\n"]);
    const old = await gatehouse(["client", "list"]);
    expect(old.exitCode).toBe(3);
    expect(old.stderr).toContain(fingerprint);
    expect(old.stderr + done.stdout).not.toContain(NEW);
  });
});

describe("keys rotate", () => {
  it("ends with 5 if no server has created keys yet", async () => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stderr } = await gatehouse(["keys", "rotate"]);
    expect(exitCode).toBe(5);
    expect(stderr).toContain("when it first starts");
  });

  it("asks for confirmation before it removes the old keys", async () => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stderr } = await gatehouse(["keys", "rotate", "--remove-old"]);
    expect(exitCode).toBe(5);
    expect(stderr).toContain("--yes");
  });
});
