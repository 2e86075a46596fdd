import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { backupNameAt } from "#app/db/files/backup-folder.server.ts";
import { ensureInstance } from "#app/db/repositories/instance.server.ts";
import { backupAgeSeconds, isBackupRecent } from "#app/domain/backup/age.server.ts";
import { HOUR_SECONDS } from "#app/durations.ts";
import { withStore } from "#tests/support/databases.ts";
import { fixedClock } from "#tests/unit/domain/fixtures.ts";

/** Creates an installation that is a day old, and a folder for its backups; `age` moves the clock first. */
async function installation() {
  const backupDir = mkdtempSync(join(tmpdir(), "gatehouse-backups-"));
  onTestFinished(() => rmSync(backupDir, { recursive: true }));
  const clock = fixedClock();
  const store = await withStore("sqlite");
  const createdAt = clock.now();
  await ensureInstance(store, { keyFingerprint: "f", issuer: "https://login.office.example", rpId: "r", createdAt });
  const config = { backupDir, database: { dialect: "sqlite" as const, file: "gatehouse.sqlite" } };
  const backUp = (name = backupNameAt(clock.now())) => writeFileSync(join(backupDir, name), "");
  return { deps: { config, store, clock }, clock, backUp };
}

describe("the age of the backup", () => {
  it("is that of the newest file, by its name", async () => {
    const { deps, clock, backUp } = await installation();
    backUp();
    clock.advance(100);
    backUp();
    clock.advance(30);
    for (const name of ["gatehouse.sqlite", "notes.txt", "gatehouse-99990101.sqlite"]) backUp(name);
    expect(await backupAgeSeconds(deps)).toBe(30);
  });

  it("is that of the database without a file, or without the folder", async () => {
    const { deps, clock } = await installation();
    clock.advance(60);
    expect(await backupAgeSeconds(deps)).toBe(60);
    const config = { ...deps.config, backupDir: join(deps.config.backupDir, "missing") };
    expect(await backupAgeSeconds({ ...deps, config })).toBe(60);
  });

  it("is not that of a file of the future, which a clock that was fast leaves", async () => {
    const { deps, clock, backUp } = await installation();
    backUp(backupNameAt(new Date("2027-01-01T00:00:00.000Z")));
    clock.advance(60);
    expect(await backupAgeSeconds(deps)).toBe(60);
    backUp();
    clock.advance(51 * HOUR_SECONDS);
    expect([await backupAgeSeconds(deps), await isBackupRecent(deps)]).toEqual([51 * HOUR_SECONDS, false]);
  });

  it("is late after more than 50 hours: one failed night is tolerated, two are not", async () => {
    const { deps, clock, backUp } = await installation();
    backUp();
    clock.advance(50 * HOUR_SECONDS);
    expect(await isBackupRecent(deps)).toBe(true);
    clock.advance(1);
    expect(await isBackupRecent(deps)).toBe(false);
  });

  it("is unknown on PostgreSQL, which Gatehouse does not back up, and never late", async () => {
    const { deps, clock } = await installation();
    clock.advance(100 * HOUR_SECONDS);
    const onPostgres = { ...deps, config: { ...deps.config, database: { dialect: "postgres" as const, url: "" } } };
    expect(await backupAgeSeconds(onPostgres)).toBeNull();
    expect(await isBackupRecent(onPostgres)).toBe(true);
  });
});
