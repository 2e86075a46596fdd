import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { IS_ROOT, linksIn, SERVICE } from "#tests/http/setup/new-root.ts";
import { manualBlock } from "#tests/support/manual.ts";
import { readText } from "#tests/support/source-tree.ts";
import { CHANGES_USER, createMachine, type Machine } from "./machine.ts";

// Installations and upgrades start many processes.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const MANUAL = "docs/operations.md";

/** The confirmation of a destructive command. */
const CONFIRM = [/\[y\/N\] $/, "y"] as const;

/** A logo of an application. */
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M2 2h20v20H2z"/></svg>';

/** The user id of a process. */
const userOf = (pid: number) => Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** Returns commands that the text of the manual names, outside of its blocks. Throws if one of them is not there. */
function namedCommands(...commands: readonly string[]): string {
  const manual = readText(MANUAL).replace(/\s+/g, " ");
  const missing = commands.filter((command) => !manual.includes(`\`${command}\``));
  if (missing.length > 0) throw new Error(`The manual does not name ${missing.join(", ")}`);
  return commands.join("\n");
}

describe("the chapter about the installation", () => {
  let machine: Machine;

  beforeAll(async () => {
    machine = await createMachine();
    machine.bringPackage(machine.tree.pack("0.3.0"));
  });
  afterAll(() => machine?.remove());

  test("installs with two commands, which start the service as its own user and print one link", async () => {
    const screen = await machine.run(manualBlock("docs/operations.md: Install"));
    expect(linksIn(screen)).toHaveLength(1);
    expect(await machine.tree.servedVersion()).toBe("0.3.0");
    if (CHANGES_USER) expect(userOf(machine.tree.pid())).toBe(SERVICE.uid);
    expect(machine.read("/etc/caddy/Caddyfile")).toContain("\nhttps://localhost:9 {\n");
    expect(machine.read("/run/systemctl.log")).toMatch(/^enable gatehouse\n.*^reload-or-restart caddy$/ms);
  });
});

describe("on a machine that is installed without setup, in this order,", () => {
  let machine: Machine;

  beforeAll(async () => {
    machine = await createMachine();
    machine.bringPackage(machine.tree.pack("0.3.0"));
  });
  afterAll(() => machine?.remove());

  test("the steps without setup start the service", async () => {
    await machine.run(namedCommands("apt install ./gatehouse_X_amd64.deb"));
    await machine.run(manualBlock("docs/operations.md: Without setup"));
    expect(machine.read("/etc/gatehouse/secret-keys")).toMatch(/^[\w+/]{64}$/);
    for (const name of ["gatehouse.env", "secret-keys"]) {
      expect(statSync(machine.at(`/etc/gatehouse/${name}`)).mode & 0o777).toBe(0o600);
    }
    edit("/etc/gatehouse/gatehouse.env");
    const screen = await machine.run(namedCommands("gatehouse config check", "systemctl enable --now gatehouse"));
    expect(screen).toMatch(/complete/);
    await machine.tree.servedVersion();
    expect(await machine.run(namedCommands("curl -s http://127.0.0.1:3000/readyz"))).toContain('"serving"');
    if (CHANGES_USER) expect(userOf(machine.tree.pid())).toBe(SERVICE.uid);
  });

  /** Step 3: the addresses of this machine, and no mail server of others. */
  function edit(path: string) {
    const values = {
      ISSUER: machine.tree.url,
      PORT: new URL(machine.tree.url).port,
      METRICS_PORT: String(machine.metricsPort),
      SMTP_URL: "smtp://127.0.0.1:9",
    };
    const kept = machine.here(machine.read(path)).split("\n");
    const lines = kept.filter((line) => !Object.keys(values).some((key) => line.startsWith(`${key}=`)));
    lines.push(...Object.entries(values).map(([key, value]) => `${key}=${value}`));
    writeFileSync(machine.at(path), `${lines.join("\n")}\n`);
  }

  test("Prometheus accepts the configuration and the rules, and finds the metrics at the address", async () => {
    const configuration = machine.here(manualBlock("docs/operations.md: Health and metrics"));
    writeFileSync(machine.at("/etc/prometheus/prometheus.yml"), configuration);
    const screen = await machine.run(manualBlock("docs/operations.md: Health and metrics (2)"));
    expect(screen).toMatch(/SUCCESS: [1-9]\d* rules found/);
    expect(machine.read("/run/systemctl.log")).toContain("reload prometheus\n");
    const [, target] = /targets: \["(.+)"\]/.exec(configuration) ?? [];
    expect((await fetch(`http://${target}/metrics`)).status).toBe(200);
  });

  test("the application of docs/clients.md is registered, with its sample code", async () => {
    const screen = await machine.run(manualBlock("docs/clients.md: Register the application"));
    expect(screen).toContain("broker-desk");
    expect(screen).toContain('from "openid-client"');
  });

  test("users and groups are added, and an application is opened to a group", async () => {
    const users = await machine.run(manualBlock("docs/operations.md: Users and groups"));
    expect(users).toMatch(/accounting@example\.com/);
    await machine.run(
      "gatehouse client add --id ledger --name Ledger --redirect-uri https://ledger.example/callback --everyone",
    );
    writeFileSync(machine.at("/var/lib/gatehouse/ledger.svg"), LOGO);
    await machine.run(manualBlock("docs/operations.md: Access to applications"));
    const shown = await machine.run("gatehouse client show ledger");
    expect(shown).toContain("everyone");
    expect(shown).toContain("image/svg+xml");
  });

  test("roles are given, listed and taken away", async () => {
    await machine.run("gatehouse user add elif.demir --display-name 'Elif Demir' --group North");
    const screen = await machine.run(manualBlock("docs/operations.md: Roles"));
    expect(screen).toMatch(/elif\.demir +Elif Demir +help-desk +North/);
    expect(await machine.run("gatehouse role list")).not.toContain("elif.demir");
  });

  test("a last day is stored", async () => {
    // The command refuses a day in the past.
    await machine.run(manualBlock("docs/operations.md: Last day").replaceAll("2026-12-31", "2099-12-31"));
    expect(await machine.run("gatehouse user show anna.berger")).toContain("2099-12-31");
    await machine.run("gatehouse user set anna.berger --last-day none");
  });

  test("the addresses of an application for the start page are stored", async () => {
    await machine.run(manualBlock("docs/operations.md: Start page").replaceAll("CLIENT_ID", "broker-desk"));
    expect(await machine.run("gatehouse client show broker-desk")).toContain("https://desk.example.com/login");
  });

  test("a file that only root can read is imported from standard input, and the refusal of its name says so", async () => {
    const rows = "username,display_name\ncarl.cramer,Carl Cramer\n";
    writeFileSync(machine.at("/administrator/staff.csv"), rows, { mode: 0o600 });
    expect(await machine.run(namedCommands("gatehouse user import - --dry-run < staff.csv"))).toMatch(/1 .*add/);
    await machine.run(namedCommands("gatehouse user import - < staff.csv"));
    if (!CHANGES_USER) return;
    const refused = machine.run("gatehouse user import staff.csv");
    await expect(refused).rejects.toThrow(/ended with 5:.*gatehouse user import - < staff\.csv/s);
  });

  test("the searches in the log find the lines of Gatehouse between those of systemd", async () => {
    const refused = `/oauth2/auth?client_id=broker-desk&redirect_uri=${encodeURIComponent("https://evil.example/")}`;
    expect((await fetch(machine.tree.url + refused)).status).toBe(400);
    const [, reference = ""] = /"requestId":"([^"]+)".*"client\.refused"/.exec(machine.tree.log()) ?? [];
    const search = (block: string) => machine.run(block.replaceAll("7f3k-92qd", reference));

    const log = await search(manualBlock("docs/operations.md: Logs"));
    const found = log.slice(log.indexOf("Consumed 1.234s CPU time.\n"));
    expect(found).toContain(`"requestId": "${reference}"`);
    expect(found).toContain('"msg": "unexpected error"');
    expect(found).not.toContain('"msg": "serving"');
    const ofClient = await search(manualBlock("docs/clients.md: Errors"));
    expect(ofClient.match(/"fix":/g)?.length).toBeGreaterThanOrEqual(2);
    for (const screen of [found, ofClient]) expect(screen).not.toContain("jq: error");
  });

  test("the audit trail is listed, exported and verified", async () => {
    const screen = await machine.run(manualBlock("docs/operations.md: Audit trail"));
    expect(screen).toContain("anna.berger");
    expect(machine.read("/administrator/trail.csv")).toContain("anna.berger");
  });

  test("the commands for a backup write to BACKUP_DIR and to another disk, as the user of the service", async () => {
    await machine.run(manualBlock("docs/operations.md: Backup"));
    const kinds = (path: string) => readdirSync(machine.at(path)).map((name) => name.replace(/^gatehouse-\w+/, ""));
    const files = [".sqlite", ".sqlite.audit.jsonl", ".sqlite.json"];
    expect(kinds("/var/backups/gatehouse").sort()).toEqual(files);
    expect(kinds("/mnt/usb/gatehouse").sort()).toEqual([...files, ...files.map((name) => `copy${name}`)]);
    const copy = statSync(machine.at("/mnt/usb/gatehouse/copy.sqlite"));
    if (CHANGES_USER) expect(copy.uid).toBe(SERVICE.uid);
  });

  test("the commands for a restore return to the newest backup", async () => {
    await machine.run("gatehouse user add bert --display-name Bert");
    const screen = await machine.run(manualBlock("docs/operations.md: Restore"), { answers: [CONFIRM] });
    expect(screen).toContain("bert");
    await machine.tree.servedVersion();
    const users = await machine.run("gatehouse user list");
    expect([users.includes("anna.berger"), users.includes("bert")]).toEqual([true, false]);
    expect(await machine.run(namedCommands("gatehouse restore --report"))).toContain("bert");
  });

  test("the next package is installed over the current one, and the rollback returns to it", async () => {
    machine.bringPackage(machine.tree.pack("0.4.0", { "9001_add_table": "CREATE TABLE more (id text)" }));
    await machine.run(manualBlock("docs/operations.md: Upgrade"));
    expect(await machine.tree.servedVersion()).toBe("0.4.0");
    await machine.run(manualBlock("docs/operations.md: Go back"), { answers: [CONFIRM] });
    expect(await machine.tree.servedVersion()).toBe("0.3.0");
    expect(await machine.run("gatehouse user list")).toContain("anna.berger");
  });

  test("the keys of the container and of the mail server are readable by their owner only", async () => {
    await machine.run(manualBlock("docs/operations.md: As a container"));
    const key = statSync(machine.at("/administrator/secret-keys"));
    expect([key.mode & 0o777, key.uid]).toEqual([0o600, IS_ROOT ? 10_001 : process.getuid?.()]);
    await machine.run(manualBlock("docs/operations.md: Mail through Microsoft 365 or Google"));
    expect(statSync(machine.at("/etc/gatehouse/mail-oauth-certificate")).mode & 0o777).toBe(0o600);
    expect(machine.read("/etc/gatehouse/mail-oauth-certificate")).toMatch(/PRIVATE KEY-----\n.*BEGIN CERTIFICATE/s);
    expect(existsSync(machine.at("/etc/gatehouse/mail-key.pem"))).toBe(false);
  });
});
