import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { demoPorts, signInToDemo, startDemo, typeDemoPassword } from "#tests/support/demo.ts";

it("the demo lets its users sign in to its application, and keeps its data after a restart and its secrets to itself", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-demo-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = await demoPorts();
  const first = await startDemo(folder, { env });
  for (const name of ["secret-key", "accounts.json", "gatehouse.sqlite"]) {
    expect(statSync(join(folder, "data/demo", name)).mode & 0o777, name).toBe(0o600);
  }
  expect(readFileSync(join(folder, "data/demo/secret-key"), "utf8").trim()).toMatch(/^[\w-]{64}$/);
  const { home, username } = await signInToDemo(first);
  expect(home.url).toBe(`${first.app_url}/`);
  expect(home.body).toContain(username);
  const carla = first.accounts.find((account) => account.username === "carla.winter") ?? { username: "", password: "" };
  const { page } = await typeDemoPassword(first, carla);
  // A role requires a second factor.
  expect(page.page().text).toContain("Your account needs a second factor.");
  expect(await first.stop("SIGINT")).toBe(0);
  await expect(fetch(first.app_url)).rejects.toThrow();

  const again = await startDemo(folder, { env });
  expect(again.accounts).toEqual(first.accounts);
  expect(await again.stop("SIGTERM")).toBe(0);
});
