import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createInstallation, type Installation } from "./terminal.ts";

let gatehouse: Installation["gatehouse"];
let folder: string;
let backups: string;
let copy: string;

/** The backup contains Anna and Bert. Anna was blocked after it. The new machine is an empty folder. */
beforeEach(async () => {
  const former = await createInstallation();
  const file = (former.env["DATABASE_URL"] ?? "").replace("sqlite:", "");
  backups = join(dirname(file), "backups");
  for (const name of ["anna", "bert"]) await former.gatehouse(["user", "add", name, "--display-name", name]);
  await former.gatehouse(["user", "block", "bert"]);
  await former.gatehouse(["user", "unblock", "bert"]);
  copy = join(dirname(file), "copy.sqlite");
  await former.gatehouse(["backup", copy]);
  await former.gatehouse(["user", "block", "anna"]);
  // The backup of the next night.
  mkdirSync(backups);
  await former.gatehouse(["backup"], { env: { BACKUP_DIR: backups } });
  folder = mkdtempSync(join(dirname(file), "new-machine-"));
  const env = { DATABASE_URL: `sqlite:${join(folder, "gatehouse.sqlite")}`, BACKUP_DIR: backups };
  gatehouse = (args, options = {}) => former.gatehouse(args, { ...options, env: { ...env, ...options.env } });
});

async function statusOf(name: string): Promise<unknown> {
  const { json } = await gatehouse(["user", "show", name, "--json"]);
  return Object(json()).status;
}

/** Returns the finding of doctor about the last restore. */
async function finding(): Promise<unknown> {
  const { json } = await gatehouse(["doctor", "--json"]);
  const findings: unknown[] = Object(json()).findings;
  return findings.find((one) => Object(one).check === "last restore");
}

/** Puts the copy into a folder alone or with other files, and returns its new path. */
function carry(...more: readonly [from: string, name: string][]): string {
  const carried = mkdtempSync(join(dirname(copy), "carried-"));
  for (const [from, name] of [[copy, "copy.sqlite"] as const, ...more]) copyFileSync(from, join(carried, name));
  return join(carried, "copy.sqlite");
}

function newestAudit(): string {
  return join(backups, readdirSync(backups).find((name) => name.endsWith(".audit.jsonl")) ?? "");
}

describe("a copy that is restored into an empty folder", () => {
  test("without an audit file: the later changes are unknown, and the recently changed users are named", async () => {
    const carried = carry();
    const check = await gatehouse(["restore", carried, "--check"]);
    expect(check.stdout).toMatch(/it is unknown what was changed later/);
    expect(check.stdout).not.toMatch(/0 events/);
    const { exitCode, stdout } = await gatehouse(["restore", carried, "--yes"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/it is unknown what was changed later/);
    expect(stdout).toMatch(/7 days before the backup.*\n {2}bert: unblocked, blocked, added\n {2}anna: added/);
    expect(stdout).toMatch(/gatehouse restore --confirm/);
    const report = await gatehouse(["restore", "--report", "--json"]);
    expect(report.json()).toMatchObject({ is_complete: false, events: null, sign: "no mark" });
    expect(await statusOf("anna")).toBe("active");
  });

  test("doctor warns until one administrator has confirmed, also after another restore of the same copy", async () => {
    const carried = carry();
    await gatehouse(["restore", carried, "--yes"]);
    expect(await finding()).toMatchObject({ state: "warning", found: expect.stringMatching(/unknown/) });
    expect((await gatehouse(["restore", carried, "--yes"])).exitCode).toBe(0);
    expect(await finding()).toMatchObject({ state: "warning", fix: expect.stringMatching(/--confirm/) });
    const both = await Promise.all([
      gatehouse(["restore", "--confirm"]),
      gatehouse(["restore", "--confirm", "--json"]),
    ]);
    expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 5]);
    expect(await finding()).toMatchObject({ state: "ok" });
    expect((await gatehouse(["audit", "list", "--type", "restore.checked", "--json"])).json()).toHaveLength(1);
    // From now on, what happens here is known.
    await gatehouse(["user", "block", "anna"]);
    const again = await gatehouse(["restore", carried, "--yes", "--json"]);
    expect(again.json()).toMatchObject({ is_complete: true, blocked: [{ username: "anna" }] });
    expect(await finding()).toMatchObject({
      state: "warning",
      found: expect.stringMatching(/^(?!.*unknown).*1 users are affected: anna/),
      fix: expect.stringMatching(/--confirm/),
    });
    // Anna stays blocked, as before the restore: no command but this ends the warning.
    const confirmed = await gatehouse(["restore", "--confirm"]);
    expect([confirmed.exitCode, confirmed.stdout]).toEqual([0, "Confirmed. doctor no longer warns.\n"]);
    expect(await finding()).toMatchObject({ state: "ok" });
    expect(await statusOf("anna")).toBe("blocked");
  });

  test("with the audit file of a later backup: its changes are made again, and only later ones are unknown", async () => {
    const carried = carry(
      [newestAudit(), "gatehouse-20990102T013000Z.sqlite.audit.jsonl"],
      [copy, "gatehouse-20990102T013000Z.sqlite"],
    );
    const check = await gatehouse(["restore", carried, "--check"]);
    expect(check.stdout).toMatch(/later events +\S+20990102T013000Z.sqlite.audit.jsonl/);
    expect(readdirSync(folder)).toEqual([]);
    const { json } = await gatehouse(["restore", carried, "--yes", "--json"]);
    expect(json()).toMatchObject({ is_complete: false, events: 1, blocked: [{ username: "anna", why: ["blocked"] }] });
    expect(await statusOf("anna")).toBe("blocked");
    expect(await finding()).toMatchObject({ state: "warning" });
    expect((await gatehouse(["restore", "--report"])).stdout).toMatch(
      /1 later events are known, until \d{4}-.*; it is unknown what was changed after that/,
    );
    // The audit file continues the one of the former machine.
    expect(readFileSync(join(folder, "audit.jsonl"), "utf8")).toContain('"user.blocked"');
  });

  test("an audit file of another installation is ignored", async () => {
    const other = await createInstallation();
    await other.gatehouse(["user", "add", "carl", "--display-name", "Carl"]);
    const foreign = join(dirname((other.env["DATABASE_URL"] ?? "").replace("sqlite:", "")), "audit.jsonl");
    const { json } = await gatehouse(["restore", carry([foreign, "copy.sqlite.audit.jsonl"]), "--yes", "--json"]);
    expect(json()).toMatchObject({ is_complete: false, events: null, lost_users: [] });
  });

  test("by hand, also with the audit file beside it: later changes are unknown", async () => {
    copyFileSync(copy, join(folder, "gatehouse.sqlite"));
    copyFileSync(newestAudit(), join(folder, "audit.jsonl"));
    expect(await statusOf("anna")).toBe("blocked");
    expect(await finding()).toMatchObject({ state: "warning", found: expect.stringMatching(/unknown/) });
  });

  test("after the machine was in service with another database: later changes are unknown", async () => {
    await gatehouse(["user", "add", "test", "--display-name", "Test"]);
    const { json } = await gatehouse(["restore", carry(), "--yes", "--json"]);
    expect(json()).toMatchObject({ is_complete: false, lost_users: ["test"] });
  });

  test("a crash before the reconciliation is committed does not make the changes known", async () => {
    copyFileSync(copy, join(folder, "gatehouse.sqlite"));
    copyFileSync(newestAudit(), join(folder, "audit.jsonl"));
    // The first attempt wrote the epoch file and ended.
    writeFileSync(join(folder, "gatehouse.epoch"), JSON.stringify({ epoch: 2, raising: true, auditIncomplete: true }));
    await gatehouse(["user", "list"]);
    const report = await gatehouse(["restore", "--report", "--json"]);
    expect(report.json()).toMatchObject({ is_complete: false, epoch: 2 });
    const epochFile = JSON.parse(readFileSync(join(folder, "gatehouse.epoch"), "utf8"));
    expect(epochFile).toEqual({ epoch: 2, raising: false });
  });

  test("a restore that fails puts the former audit file back", async () => {
    await gatehouse(["user", "add", "test", "--display-name", "Test"]);
    const before = readFileSync(join(folder, "audit.jsonl"), "utf8");
    const carried = carry([newestAudit(), "copy.sqlite.audit.jsonl"]);
    const inTheWay = join(folder, `gatehouse.epoch.${process.pid}.part`);
    mkdirSync(inTheWay);
    expect((await gatehouse(["restore", carried, "--yes"])).exitCode).toBe(1);
    rmSync(inTheWay, { recursive: true });
    expect(readFileSync(join(folder, "audit.jsonl"), "utf8")).toBe(before);
    expect(readdirSync(folder).filter((name) => /before-restore|part/.test(name))).toEqual([]);
    expect(await statusOf("test")).toBe("active");
  });
});

test("on the machine of the database, with its own audit file, every later change is known", async () => {
  await gatehouse(["user", "add", "dora", "--display-name", "Dora"]);
  const here = join(folder, "here.sqlite");
  await gatehouse(["backup", here]);
  await gatehouse(["user", "block", "dora"]);
  const { json } = await gatehouse(["restore", here, "--yes", "--json"]);
  expect(json()).toMatchObject({ is_complete: true, events: 1, blocked: [{ username: "dora" }] });
  expect(await finding()).toMatchObject({ state: "warning", found: expect.not.stringMatching(/unknown/) });
  expect((await gatehouse(["restore", "--confirm"])).exitCode).toBe(0);
  expect((await gatehouse(["restore", "--confirm"])).exitCode).toBe(5);
  rmSync(join(folder, "audit.jsonl"));
  const without = await gatehouse(["restore", here, "--yes", "--json"]);
  expect(without.json()).toMatchObject({ is_complete: false });
  expect(existsSync(join(folder, "audit.jsonl"))).toBe(true);
});
