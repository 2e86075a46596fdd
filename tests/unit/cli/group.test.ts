import { describe, expect, it } from "vitest";
import { createInstallation } from "./terminal.ts";

describe("group add", () => {
  it("prints the new id", async () => {
    const { gatehouse } = await createInstallation();
    const added = await gatehouse(["group", "add", "North", "--json"]);
    expect(added.json()).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });

  it("can demand a second factor of all members", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(["group", "add", "North"]);
    await gatehouse(["group", "add", "Administration", "--require-mfa"]);
    expect((await gatehouse(["group", "list", "--json"])).json()).toMatchObject([
      { name: "Administration", require_mfa: true },
      { name: "North", require_mfa: false },
    ]);
  });

  it("refuses a name that is taken with 5, and ends with 2 for none", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(["group", "add", "North"]);
    expect((await gatehouse(["group", "add", "North"])).exitCode).toBe(5);
    expect((await gatehouse(["group", "add", " "])).exitCode).toBe(2);
  });
});
