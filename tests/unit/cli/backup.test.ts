import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { COPY_MARK } from "#app/db/files/backup.server.ts";
import { listOpenMails } from "#app/db/repositories/mail-outbox.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { createInstallation, createNewInstallation, type Installation } from "./terminal.ts";

function fileOf({ env }: Installation): string {
  return (env["DATABASE_URL"] ?? "").replace("sqlite:", "");
}

async function installed(): Promise<Installation & { file: string; folder: string }> {
  const installation = await createInstallation();
  await installation.gatehouse(["user", "add", "anna", "--display-name", "Anna"]);
  const file = fileOf(installation);
  return { ...installation, file, folder: dirname(file) };
}

describe("backup", () => {
  test("creates one complete file, readable by the owner only, and prints its content", async () => {
    const { gatehouse, folder } = await installed();
    const copy = join(folder, "elsewhere", "copy.sqlite");
    mkdirSync(dirname(copy));
    const { exitCode, json } = await gatehouse(["backup", copy, "--json"]);
    expect(exitCode).toBe(0);
    const manifest = JSON.parse(readFileSync(`${copy}.json`, "utf8"));
    expect(manifest).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      schema: expect.stringMatching(/^\d{4}_/),
      epoch: 1,
      counts: { users: 1, clients: 0 },
      bytes: statSync(copy).size,
      sha256: createHash("sha256").update(readFileSync(copy)).digest("hex"),
      keyFingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      issuer: "http://localhost:3000",
      rpId: "localhost",
    });
    expect(json()).toMatchObject({ file: copy, sha256: manifest.sha256 });
    expect(readdirSync(dirname(copy)).sort()).toEqual(["copy.sqlite", "copy.sqlite.audit.jsonl", "copy.sqlite.json"]);
    for (const name of readdirSync(dirname(copy)))
      expect([name, statSync(join(dirname(copy), name)).mode & 0o777]).toEqual([name, 0o600]);
  });

  test("contains audit.jsonl as a file of its own", async () => {
    const { gatehouse, folder } = await installed();
    const copy = join(folder, "copy.sqlite");
    const { json } = await gatehouse(["backup", copy, "--json"]);
    expect(json()).toMatchObject({ audit: `${copy}.audit.jsonl` });
    const events = readFileSync(`${copy}.audit.jsonl`, "utf8");
    expect(events).toContain('"user.added"');
    expect(events).toBe(readFileSync(join(folder, "audit.jsonl"), "utf8"));
  });

  test("the copy is marked as a copy, and has no -wal", async () => {
    const { gatehouse, folder } = await installed();
    const copy = join(folder, "copy.sqlite");
    await gatehouse(["backup", copy]);
    const database = new Database(copy, { readonly: true });
    expect(database.pragma("user_version", { simple: true })).toBe(COPY_MARK);
    expect(database.pragma("journal_mode", { simple: true })).toBe("delete");
    database.close();
  });

  test("never writes over a file, least of all over the database", async () => {
    const { gatehouse, file, folder } = await installed();
    const taken = join(folder, "taken");
    writeFileSync(taken, "a letter");
    const refused = await gatehouse(["backup", taken]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringMatching(/already exists/)]);
    expect(readFileSync(taken, "utf8")).toBe("a letter");
    expect((await gatehouse(["backup", file])).exitCode).toBe(1);
    expect((await gatehouse(["user", "list", "--json"])).json()).toHaveLength(1);
  });

  test("refuses a folder that does not exist, and makes none: the disk may not be mounted", async () => {
    const { gatehouse, folder } = await installed();
    const disk = join(folder, "usb");
    for (const [args, env] of [
      [["backup", join(disk, "copy.sqlite")], {}],
      [["backup"], { BACKUP_DIR: disk }],
      [["backup", "--nightly"], { BACKUP_DIR: disk }],
    ] as const) {
      const { exitCode, stdout, stderr } = await gatehouse(args, { env });
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(`Folder ${disk} does not exist. Mount the disk, or run: mkdir -m 700 ${disk}`);
      expect(existsSync(disk)).toBe(false);
    }
    expect((await gatehouse(["backup"])).exitCode).toBe(0);
    expect(readdirSync(join(folder, "backups"))).toHaveLength(3);
  });

  test("without a database there is nothing to copy, and none is created", async () => {
    const installation = await createNewInstallation();
    const { exitCode, stderr } = await installation.gatehouse(["backup"]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/does not exist yet/)]);
    expect(existsSync(fileOf(installation))).toBe(false);
  });

  test("in BACKUP_DIR the newest BACKUP_KEEP stay, and what is not ours stays too", async () => {
    const { gatehouse, folder } = await installed();
    const copies = join(folder, "copies");
    mkdirSync(copies);
    const old = ["20250101T013000Z", "20250102T013000Z", "20250103T013000Z-before-0002_more"].map(
      (time) => `gatehouse-${time}.sqlite`,
    );
    for (const name of [...old, `${old[0]}.json`, `${old[0]}.audit.jsonl`, "letter.txt", "gatehouse-x.part"])
      writeFileSync(join(copies, name), "");
    utimesSync(join(copies, "gatehouse-x.part"), 0, 0);
    const { exitCode, stderr } = await gatehouse(["backup"], { env: { BACKUP_DIR: copies, BACKUP_KEEP: "2" } });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(join(copies, old[0] ?? ""));
    const left = readdirSync(copies).filter((name) => !/^gatehouse-2026|^gatehouse-20[3-9]/.test(name));
    expect(left.sort()).toEqual([old[2], "letter.txt"].sort());
  });

  test("backups of a clock that was fast do not displace those of the right time", async () => {
    const { gatehouse, folder } = await installed();
    const copies = join(folder, "copies");
    mkdirSync(copies);
    for (const day of ["01", "02"]) writeFileSync(join(copies, `gatehouse-999901${day}T013000Z.sqlite`), "");
    const { json } = await gatehouse(["backup", "--json"], { env: { BACKUP_DIR: copies, BACKUP_KEEP: "2" } });
    const { file } = z.object({ file: z.string() }).parse(json());
    expect(existsSync(file)).toBe(true);
    expect(readdirSync(copies).filter((name) => name.endsWith(".sqlite"))).toHaveLength(2);
  });

  test("a damaged database is reported, and leaves no copy", async () => {
    const { gatehouse, file, folder } = await installed();
    const database = new Database(file);
    database.pragma("foreign_keys = OFF");
    database.exec("INSERT INTO known_browsers VALUES ('nobody', 'b', 0, 0)");
    database.close();
    const copies = join(folder, "copies");
    mkdirSync(copies);
    const { exitCode, stderr } = await gatehouse(["backup"], { env: { BACKUP_DIR: copies } });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/1 rows reference missing rows/)]);
    expect(readdirSync(copies)).toEqual([]);
  });

  test("one that fails at night is mailed to ADMIN_MAIL", async () => {
    const { gatehouse, file, folder } = await installed();
    const blocked = join(folder, "a-file");
    writeFileSync(blocked, "");
    const env = { BACKUP_DIR: blocked, ADMIN_MAIL: "it@office.example" };
    expect((await gatehouse(["backup", "--nightly"], { env })).exitCode).toBe(1);
    const store = await openStore({ dialect: "sqlite", file });
    const mails = await listOpenMails(store, 10);
    await store.close();
    expect(mails).toMatchObject([{ kind: "backup-failed", recipient: "it@office.example" }]);
  });
});
