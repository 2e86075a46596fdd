import { expect, test } from "vitest";
import { z } from "zod";
import { createInstallation } from "./terminal.ts";

const CLIENT = ["--name", "Desk", "--redirect-uri", "https://desk.example/callback", "--scope", "openid"];
const GROUP = ["--require-mfa", "--description", "Offices of the north"];

test.each([
  [["user", "unblock", "anna"], "User anna is not blocked. Nothing was changed."],
  [["user", "block", "bert"], "User bert is blocked already. Nothing was changed."],
  [["user", "set", "anna", "--display-name", "Anna"], "User anna is unchanged."],
  [["client", "set", "desk", ...CLIENT, "--allow-group", "North", "--no-logo"], "Client desk is unchanged."],
  [["group", "set", "North", ...GROUP], "Group North .* is unchanged."],
  [["role", "grant", "anna", "administrator"], "User anna has the role administrator already. Nothing was changed."],
])("%j reports that nothing was changed, and records nothing", async (args, sentence) => {
  const { gatehouse } = await createInstallation();
  for (const name of ["anna", "bert"]) await gatehouse(["user", "add", name, "--display-name", "Anna"]);
  await gatehouse(["user", "block", "bert"]);
  await gatehouse(["role", "grant", "anna", "administrator"]);
  await gatehouse(["group", "add", "North", ...GROUP]);
  await gatehouse(["client", "add", "--id", "desk", ...CLIENT, "--allow-group", "North"]);
  const events = async () => z.array(z.unknown()).parse((await gatehouse(["audit", "list", "--json"])).json());
  const shown = async () => (await gatehouse(["client", "show", "desk", "--json"])).stdout;
  const before = [await events(), await shown()];
  expect(before[0]).toHaveLength(6);
  const { exitCode, stdout } = await gatehouse(args);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(sentence)]);
  expect([await events(), await shown()]).toEqual(before);
});

test("client set records the fields that have changed, and no others", async () => {
  const { gatehouse } = await createInstallation();
  await gatehouse(["client", "add", "--id", "desk", ...CLIENT, "--everyone"]);
  const changed = await gatehouse(["client", "set", "desk", "--name", "Desk", "--scope", "openid", "--require-mfa"]);
  expect(changed.stdout).toBe("Changed client desk.\n");
  const listed = await gatehouse(["audit", "list", "--type", "client.changed", "--json"]);
  expect(listed.json()).toMatchObject([{ detail: { reason: "requireMfa" } }]);
});
