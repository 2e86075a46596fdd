import { expect, it } from "vitest";
import { createInstallation } from "./terminal.ts";

it.each([
  [["client", "consents", "nobody"], 'There is no client "nobody".'],
  [["client", "consents", "nobody", "--withdraw"], 'There is no client "nobody".'],
  [["client", "consents", "nobody", "--withdraw", "--yes"], 'There is no client "nobody".'],
  [["user", "consents", "nobody"], 'There is no user "nobody".'],
])("%j ends with 4", async (args, message) => {
  const { gatehouse } = await createInstallation();
  const { exitCode, stdout, stderr } = await gatehouse(args);
  expect([exitCode, stdout]).toEqual([4, ""]);
  expect(stderr).toContain(message);
});
