import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT } from "#app/cli/output/command-error.ts";
import { readConfig } from "#app/config/read.server.ts";
import { readText } from "#tests/support/source-tree.ts";

const unit = readText("deploy/gatehouse.service");

/** Returns all values of a key of the unit file, in order. */
const valuesOf = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

describe("the unit for systemd", () => {
  it("does not restart after an error that an administrator has to fix", () => {
    expect(valuesOf("RestartPreventExitStatus")).toEqual([`${EXIT.configuration} ${EXIT.refused}`]);
  });

  it("waits longer than a server needs to stop", () => {
    expect(Number(valuesOf("TimeoutStopSec"))).toBeGreaterThanOrEqual(20);
  });
});

describe("the configuration that is shipped", () => {
  const env = Object.fromEntries(
    readText("deploy/gatehouse.env")
      .split("\n")
      .filter((line) => /^\w/.test(line))
      .map((line) => line.replaceAll('"', "").split(/=(.*)/, 2)),
  );

  it("is valid with a secret key, without warnings", () => {
    const read = readConfig({ ...env, SECRET_KEYS: "a secret key that only the tests know" });
    expect(read).toMatchObject({ ok: true, warnings: [] });
  });

  it("reaches the administrators' command, and every file of a secret with it", () => {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-command-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "gatehouse.env"), readText("deploy/gatehouse.env"));
    writeFileSync(join(folder, "secret-keys"), "a secret key that only the tests know\n");
    writeFileSync(join(folder, "mail-oauth-client-secret"), "a 'secret' of \"mail\" $(false)\n");
    writeFileSync(join(folder, "gatehouse.env.before"), "BEFORE=1\n");
    const shipped = readText("deploy/gatehouse.sh");
    const script = shipped
      .replaceAll("/etc/gatehouse", folder)
      .replace(/setpriv .*--init-groups /, "")
      .replaceAll(
        '"$release/node" "$release/main.js"',
        `${process.execPath} -e 'console.log(JSON.stringify(process.env))'`,
      );
    expect(script).not.toBe(shipped);
    const { stdout, status } = spawnSync("sh", ["-c", script], { encoding: "utf8", timeout: 30_000 });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...env,
      SECRET_KEYS: "a secret key that only the tests know",
      MAIL_OAUTH_CLIENT_SECRET: "a 'secret' of \"mail\" $(false)",
    });
    expect(stdout).not.toContain("BEFORE");
    // Setup stays root and reads the files itself; they do not exist before.
    const setup = spawnSync("sh", ["-c", script.replaceAll(folder, "/nowhere"), "sh", "setup"], { encoding: "utf8" });
    expect([setup.status, setup.stdout.includes("SECRET_KEYS")]).toEqual([0, false]);
  });
});
