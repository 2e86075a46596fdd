import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { readConfig } from "#app/config/read.server.ts";
import { backupNameAt, findNewestBackupTime } from "#app/db/files/backup-folder.server.ts";
import { DAY_MS, MINUTE_MS } from "#app/durations.ts";
import { isBackupOverdue, startNightlyBackup } from "#app/jobs/nightly-backup.server.ts";
import { createDatabaseFile } from "#tests/support/databases.ts";
import { ROOT } from "#tests/support/source-tree.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Starts the nightly work, which begins at once if the backup of the last night is missing. */
async function night(backupDir: (folder: string) => string) {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-night-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    ...(process.env.PATH === undefined ? {} : { PATH: process.env.PATH }),
    DATABASE_URL: `sqlite:${join(folder, "gatehouse.sqlite")}`,
    SECRET_KEYS: "a secret key that only the tests know",
    APP_URL: "http://localhost/app",
    IMPRINT_URL: "http://localhost/imprint",
    ADMIN_MAIL: "it@office.example",
    TIME_ZONE: "UTC",
    BACKUP_DIR: backupDir(folder),
  };
  await createDatabaseFile(join(folder, "gatehouse.sqlite"));
  const read = readConfig(env);
  if (!read.ok) throw new Error("the environment of the test is wrong");
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => lines.push(line) });
  // The server's program, because this process runs vitest.
  vi.spyOn(process, "argv", "get").mockReturnValue([process.execPath, join(ROOT, "build/main.js")]);
  vi.spyOn(process, "execArgv", "get").mockReturnValue([]);
  const nightly = await startNightlyBackup({ config: read.config, log, env, catchUpMs: 1 });
  onTestFinished(() => nightly.stop());
  return { lines, copies: env.BACKUP_DIR };
}

test("a server that missed a night makes the backup after its start, in a separate process", async () => {
  const { lines, copies } = await night((folder) => {
    mkdirSync(join(folder, "copies"));
    return join(folder, "copies");
  });
  await vi.waitFor(() => expect(lines.join("")).toMatch(/the database was backed up/), { timeout: 60_000 });
  expect(findNewestBackupTime(copies, new Date())).not.toBeNull();
});

test("a backup that was interrupted last night is made after the next start, although the one before is a day old", async () => {
  const lastNight = Math.floor((Date.now() - 90 * MINUTE_MS) / DAY_MS) * DAY_MS + 90 * MINUTE_MS;
  const earlier = new Date(lastNight - MINUTE_MS);
  const { lines, copies } = await night((folder) => {
    mkdirSync(join(folder, "copies"));
    writeFileSync(join(folder, "copies", backupNameAt(earlier)), "");
    return join(folder, "copies");
  });
  await vi.waitFor(() => expect(lines.join("")).toMatch(/the database was backed up/), { timeout: 60_000 });
  expect(findNewestBackupTime(copies, new Date())?.getTime()).toBeGreaterThan(earlier.getTime());
});

test("a restart repeats no backup of the last night", () => {
  const lastDueAt = new Date("2026-03-02T01:30:00Z");
  const isOverdue = (newest: string) => isBackupOverdue({ lastDueAt, newestAt: new Date(newest) });
  expect(isOverdue("2026-03-02T01:30:00Z")).toBe(false);
  expect(isOverdue("2026-03-02T09:00:00Z")).toBe(false);
  expect(isOverdue("2026-03-02T01:29:59Z")).toBe(true);
  expect(isBackupOverdue({ lastDueAt, newestAt: null })).toBe(true);
});

test("a failed nightly backup is an error in the log, with the reason", async () => {
  const { lines, copies } = await night((folder) => {
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    return file;
  });
  await vi.waitFor(() => expect(lines.join("")).toMatch(/the backup of the database failed/), { timeout: 60_000 });
  expect(lines.join("")).toMatch(/EEXIST|ENOTDIR/);
  expect(existsSync(copies)).toBe(true);
});
