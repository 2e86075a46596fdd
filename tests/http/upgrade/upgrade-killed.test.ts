import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { addClient, addUser } from "#tests/http/crash/command.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { createDebianTree, type DebianTree } from "./debian-tree.ts";

vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 120_000 });

/**
 * The system calls of the program that start another one, and that change a link; how many of them an upgrade and a rollback
 * make. strace counts each kind by itself. The last program that is started is systemctl while the service is not ready yet;
 * it follows again until it is. Before it: cp, sync, the check, the shell that reads the configuration, systemctl four times,
 * the migration; for a rollback the same without cp and sync. Each of the two links: a symlink and a rename.
 */
const STEPS = [
  { calls: "clone,fork,vfork", upgrade: 10, rollback: 8 },
  { calls: "symlink,symlinkat", upgrade: 2, rollback: 1 },
  { calls: "rename,renameat,renameat2", upgrade: 2, rollback: 1 },
] as const;

let tree: DebianTree;
let party: RelyingParty;
let anna: { id: string; username: string; password: string; displayName: string };
let newer: string;

/** 0.3.0 runs. 0.4.0 has a migration. */
beforeEach(async () => {
  tree = await createDebianTree();
  newer = tree.pack("0.4.0", { "9001_add_table": "CREATE TABLE more (id text)" });
  await succeed(tree.dpkg("--install", tree.pack("0.3.0")));
  await tree.systemctl("start");
  await tree.servedVersion();
  party = createRelyingParty({ issuer: tree.url, client: await addClient(tree, "suite") });
  const typed = { username: "anna", password: TEST_PASSWORD };
  anna = { ...typed, ...(await addUser(tree, typed)), displayName: "Name of anna" };
});

afterEach(() => tree?.remove());

async function succeed(command: ReturnType<DebianTree["dpkg"]>): Promise<void> {
  const { code, stdout, stderr } = await command;
  if (code !== 0) throw new Error(stdout + stderr);
}

/** Runs a command of root and kills it at the n-th of these calls. Returns false if it made fewer calls, and succeeded. */
async function killAt(
  { calls, n }: { calls: string; n: number },
  [program = "", ...args]: readonly string[],
): Promise<boolean> {
  const strace = requireDebianTool("strace").program;
  const release = join(tree.root, "usr/lib/gatehouse", program);
  const inject = `inject=${calls}:signal=KILL:when=${n}`;
  const node = [join(release, "node"), join(release, "main.js"), ...args];
  const { code, stderr } = await tree.run(strace, ["-o", "/dev/null", "-e", `trace=${calls}`, "-e", inject, ...node]);
  if (code === 0) return false;
  // The signal ends strace as well, or is its exit code.
  if (![1, 137].includes(code) || /^error/m.test(stderr)) throw new Error(`ended with ${code}: ${stderr}`);
  return true;
}

test("an upgrade and a rollback that are killed at any step leave a service that starts, and continue when run again", async () => {
  for (const { calls, upgrade, rollback } of STEPS) {
    for (let n = 1; n <= upgrade; n += 1) {
      const killed = { upgrade: await killUpgradeAt({ calls, n }), rollback: await killRollbackAt({ calls, n }) };
      expect([calls, n, killed]).toMatchObject([calls, n, { upgrade: true, ...(n <= rollback && { rollback: true }) }]);
    }
  }
});

/** Upgrades from 0.3.0 with a signed-in browser, and returns whether the upgrade was killed. */
async function killUpgradeAt(step: { calls: string; n: number }): Promise<boolean> {
  const browser = createBrowser({ base: tree.url });
  await signIn(browser, party.request(), anna);
  await succeed(tree.dpkg("--unpack", newer));
  const isKilled = await killAt(step, ["releases/0.4.0", "activate"]);
  // As after a restart of the machine.
  await tree.systemctl("start");
  expect(["0.3.0", "0.4.0"]).toContain(await tree.servedVersion());
  expect([step, await findSignedInUser(party, browser)]).toEqual([step, anna.id]);
  await succeed(tree.dpkg("--configure", "--pending"));
  expect(await tree.servedVersion()).toBe("0.4.0");
  expect([step, await findSignedInUser(party, browser)]).toEqual([step, anna.id]);
  return isKilled;
}

/** Returns to 0.3.0, and returns whether the rollback was killed. */
async function killRollbackAt(step: { calls: string; n: number }): Promise<boolean> {
  const browser = createBrowser({ base: tree.url });
  await signIn(browser, party.request(), anna);
  const isKilled = await killAt(step, ["previous", "rollback", "--yes"]);
  await tree.systemctl("start");
  expect(["0.3.0", "0.4.0"]).toContain(await tree.servedVersion());
  if (isKilled) await succeed(tree.gatehouse("rollback", "--yes"));
  expect(await tree.servedVersion()).toBe("0.3.0");
  expect([step, await findSignedInUser(party, browser)]).toEqual([step, "login_required"]);
  return isKilled;
}
