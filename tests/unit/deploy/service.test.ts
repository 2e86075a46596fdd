import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { EXIT } from "#app/cli/output/command-error.ts";
import { readConfig } from "#app/config/read.server.ts";
import { readManualBlocks } from "#tests/support/manual.ts";
import { readText } from "#tests/support/source-tree.ts";

const SECRET_KEY = "a secret key that only the tests know";

const unit = readText("deploy/gatehouse.service");

/** Returns all values of a key of the unit file, in order. */
const valuesOf = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

/**
 * Writes files in place of those of /etc/gatehouse, and returns their folder and the shipped command, which prints its
 * environment as JSON in place of running the program.
 */
function createCommand(files: Readonly<Record<string, string>>): { folder: string; script: string } {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const shipped = readText("deploy/gatehouse.sh");
  const script = shipped
    .replaceAll("/etc/gatehouse", folder)
    .replace(/setpriv .*--init-groups /, "")
    .replaceAll(
      '"$release/node" "$release/main.js"',
      `${process.execPath} -e 'console.log(JSON.stringify(process.env))'`,
    );
  expect(script).not.toBe(shipped);
  return { folder, script };
}

describe("the unit for systemd, and the file for compose", () => {
  it("does not restart after an error that an administrator has to fix", () => {
    expect(valuesOf("RestartPreventExitStatus")).toEqual([`${EXIT.configuration} ${EXIT.refused}`]);
  });

  it("waits longer than a server needs to stop", () => {
    expect(Number(valuesOf("TimeoutStopSec"))).toBeGreaterThanOrEqual(20);
    const [, grace] = /stop_grace_period: (\d+)s$/m.exec(readText("deploy/compose.yaml")) ?? [];
    expect(Number(grace)).toBeGreaterThanOrEqual(20);
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
    const read = readConfig({ ...env, SECRET_KEYS: SECRET_KEY });
    expect(read).toMatchObject({ ok: true, warnings: [] });
  });

  it("reaches the administrators' command, and every file of a secret with it", () => {
    const { folder, script } = createCommand({
      "gatehouse.env": readText("deploy/gatehouse.env"),
      "secret-keys": `${SECRET_KEY}\n`,
      "mail-oauth-client-secret": "a 'secret' of \"mail\" $(false)\n",
      "gatehouse.env.before": "BEFORE=1\n",
    });
    // A folder with the secrets of an earlier year is no secret.
    mkdirSync(join(folder, "old"));
    const { stdout, status, stderr } = spawnSync("sh", ["-c", script], { encoding: "utf8", timeout: 30_000 });
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      ...env,
      SECRET_KEYS: SECRET_KEY,
      MAIL_OAUTH_CLIENT_SECRET: "a 'secret' of \"mail\" $(false)",
    });
    expect(stdout).not.toContain("BEFORE");
    // Setup stays root and reads the files itself; they do not exist before.
    const setup = spawnSync("sh", ["-c", script.replaceAll(folder, "/nowhere"), "sh", "setup"], { encoding: "utf8" });
    expect([setup.status, setup.stdout.includes("SECRET_KEYS")]).toEqual([0, false]);
  });

  it("reads the files of secrets as the service does, also with line breaks of Windows", () => {
    const files = {
      "secret-keys": `${SECRET_KEY}\r\n`,
      "smtp-url": "smtp://login:password@mail.example.com:587\r\n\r\n",
    };
    const withoutMail = readText("deploy/gatehouse.env").replace(/^SMTP_URL=.*$/m, "");
    const { folder, script } = createCommand({ "gatehouse.env": withoutMail, ...files });
    const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8", timeout: 30_000 });
    const { SMTP_URL: _, ...others } = env;
    const ofService = readConfig({
      ...others,
      SECRET_KEYS_FILE: join(folder, "secret-keys"),
      SMTP_URL_FILE: join(folder, "smtp-url"),
    });
    expect(ofService).toMatchObject({ ok: true });
    expect(readConfig(JSON.parse(stdout))).toEqual(ofService);
  });

  it.each([
    ["IMPRINT_URL=https://www.example.com/?page=imprint&lang=de", "IMPRINT_URL"],
    ['PRODUCT_NAME="Broker$$Desk"', "PRODUCT_NAME"],
    ["ADMIN_MAIL=$1", "ADMIN_MAIL"],
    ["SUPPORT_CONTACT=a;b", "SUPPORT_CONTACT"],
    ['SUPPORT_CONTACT="\\\\`id`"', "SUPPORT_CONTACT"],
  ])("is not read in part by the command, as the shell would read %s", (line, key) => {
    const { script } = createCommand({ "gatehouse.env": `${readText("deploy/gatehouse.env")}${line}\n` });
    const { stdout, stderr, status } = spawnSync("sh", ["-c", script, "sh", "user"], { encoding: "utf8" });
    expect([status, stdout]).toEqual([EXIT.configuration, ""]);
    expect(stderr).toMatch(
      new RegExp(`^error: The shell cannot read the value of ${key} in .*Put it in single quotes.\n$`),
    );
  });

  it("is read by the command as by systemd, if special characters are quoted or escaped", () => {
    const { script } = createCommand({
      "gatehouse.env": [
        "IMPRINT_URL='https://www.example.com/?page=imprint&lang=de'",
        'TERMS_URL="https://www.example.com/?page=terms&lang=de"',
        "PRIVACY_URL=https://www.example.com/?page=privacy\\&lang=de",
        'PRODUCT_NAME="Broker\'s \\$Desk (new)"',
        "# a comment & more",
        "",
      ].join("\n"),
    });
    const { stdout, stderr } = spawnSync("sh", ["-c", script], { encoding: "utf8", timeout: 30_000 });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({
      IMPRINT_URL: "https://www.example.com/?page=imprint&lang=de",
      TERMS_URL: "https://www.example.com/?page=terms&lang=de",
      PRIVACY_URL: "https://www.example.com/?page=privacy&lang=de",
      PRODUCT_NAME: "Broker's $Desk (new)",
    });
  });

  it("is refused by the command, as by the service, if a secret is in it and in a file", () => {
    const { script } = createCommand({
      "gatehouse.env": readText("deploy/gatehouse.env"),
      "secret-keys": SECRET_KEY,
      "smtp-url": "smtp://login:password@mail.example.com:587",
    });
    const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8", timeout: 30_000 });
    expect(readConfig(JSON.parse(stdout))).toMatchObject({
      ok: false,
      mistakes: [{ key: "SMTP_URL", wrong: "is set, and so is SMTP_URL_FILE; set only one of them" }],
    });
  });

  it.each(["docs/operations.md", "docs/operations.de.md"])(
    "is complete for the command, too, if mail is set up as %s describes",
    (manual) => {
      const block = readManualBlocks(manual).find(({ text }) => text.includes("MAIL_OAUTH_TENANT="))?.text ?? "";
      const filled = block.replaceAll(/(TENANT|CLIENT)-ID/g, "8eaef023-2b34-4da1-9baa-8bc8c9d6a490");
      const keys = filled.split("\n").filter((line) => /^\w+=/.test(line));
      const [, file = ""] = /LoadCredential=[\w-]+:\/etc\/gatehouse\/(\S+)/.exec(block) ?? [];
      const shipped = readText("deploy/gatehouse.env").split("\n");
      const others = shipped.filter((line) => !/^(SMTP_URL|MAIL_FROM)=/.test(line));
      const { script } = createCommand({
        "gatehouse.env": [...others, ...keys, ""].join("\n"),
        "secret-keys": SECRET_KEY,
        [file]: "the value of a client secret",
      });
      const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8", timeout: 30_000 });
      expect(readConfig(JSON.parse(stdout))).toMatchObject({ ok: true, warnings: [] });
    },
  );
});
