import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { demoPorts, signInToDemo, startDemo } from "#tests/support/demo.ts";
import { ROOT, readText } from "#tests/support/source-tree.ts";
import { fetchNode } from "../../scripts/node.mjs";

const OLD_NODE = 20;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-node-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a script with that version, which is also the one that children find. */
async function runOn(major: number, args: readonly string[]) {
  const node = await fetchNode(major);
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  return spawnSync(node, [...args], { cwd: ROOT, env, encoding: "utf8", timeout: 60_000 });
}

it.each([22, 24, 26])("the built server starts, signs in and stops on Node %i", async (major) => {
  const demo = await startDemo(temporaryFolder(), { env: await demoPorts(), node: await fetchNode(major) });
  const { home, username } = await signInToDemo(demo);
  expect(home.body).toContain(username);
  expect(await demo.stop("SIGTERM")).toBe(0);
});

describe("on a Node that is too old", () => {
  it.each([
    ["gatehouse", ["build/main.js", "serve"]],
    ["bench", ["scripts/bench.mjs"]],
  ])("%s exits with 3 and one sentence", async (name, args) => {
    const { status, stdout, stderr } = await runOn(OLD_NODE, args);
    expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^${name}: Node 22 or newer is needed; this is Node 20\\.[\\d.]+\\.\\n$`));
  });

  it("a script of the repository runs again with the default Node, as do its children", async () => {
    const script = join(temporaryFolder(), "script.mjs");
    const switchNode = pathToFileURL(join(ROOT, "scripts/supported-node.mjs")).href;
    writeFileSync(
      script,
      `import ${JSON.stringify(switchNode)};
       import { execFileSync } from "node:child_process";
       const child = execFileSync("node", ["-p", "process.version"], { encoding: "utf8" }).trim();
       console.log(JSON.stringify({ own: process.version, child, args: process.argv.slice(2) }));
       process.exitCode = 7;`,
    );
    const { status, stdout } = await runOn(OLD_NODE, [script, "--a", "b c"]);
    const major = readText(".nvmrc").trim();
    const version = expect.stringMatching(new RegExp(`^v${major}\\.`));
    expect(JSON.parse(stdout)).toEqual({ own: version, child: version, args: ["--a", "b c"] });
    expect(status).toBe(7);
  });
});
