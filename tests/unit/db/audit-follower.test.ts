import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readAuditFile, readAuditTail } from "#app/db/files/audit-file.server.ts";
import { followAudit } from "#app/db/files/audit-writer.server.ts";
import { migrateStore } from "#app/db/migrations.server.ts";
import { appendAuditEvent, listAuditEvents } from "#app/db/repositories/audit-events.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { createEmptyDatabase } from "#tests/support/databases.ts";

async function database() {
  const { target, remove } = await createEmptyDatabase("sqlite");
  onTestFinished(remove);
  if (target.dialect !== "sqlite") throw new Error("SQLite was asked for");
  const store = await openStore(target);
  await migrateStore(store);
  onTestFinished(() => store.close());
  return { store, file: target.file, lines: () => readAuditTail(target.file).map(({ type }) => type) };
}

function happen(store: Store, type: string, { at = new Date(0), detail = {} } = {}) {
  const noActor = { userId: null, clientId: null, address: null, requestId: null };
  return appendAuditEvent(store, { at, type, outcome: "ok", detail, ...noActor });
}

const loud = (error: unknown) => {
  throw error;
};

test("an event is written to the file after its commit, and never after a rollback", async () => {
  const { store, file, lines } = await database();
  const follower = followAudit(store, file, loud);
  await store.tx((tx) => happen(tx, "kept"));
  await expect(
    store.tx(async (tx) => {
      await happen(tx, "undone");
      throw new Error("changed my mind");
    }),
  ).rejects.toThrow("changed my mind");
  await happen(store, "last");
  await follower.end();
  expect(lines()).toEqual(["kept", "last"]);
  expect(await listAuditEvents(store, { after: 0, limit: 10 })).toEqual(readAuditTail(file));
  expect(statSync(join(dirname(file), "audit.jsonl")).mode & 0o777).toBe(0o600);
});

test("events that a crash kept out of the file are added at the next start, also in the middle", async () => {
  const { store, file, lines } = await database();
  const first = followAudit(store, file, loud);
  for (const type of ["one", "two", "three", "four"]) await happen(store, type);
  await first.end();
  const audit = join(dirname(file), "audit.jsonl");
  const [one, , three] = readFileSync(audit, "utf8").split("\n");
  writeFileSync(audit, `${one}\n${three}\n{"sequence":4,"at":"19`);
  await followAudit(store, file, loud).catchUp();
  expect(lines().sort()).toEqual(["four", "one", "three", "two"]);
});

test("two processes on one database write each event once", async () => {
  const { store, file, lines } = await database();
  const server = followAudit(store, file, loud);
  const beside = await openStore({ dialect: "sqlite", file });
  const command = followAudit(beside, file, loud);
  await command.catchUp();
  await happen(beside, "of the command");
  await command.end();
  await beside.close();
  await happen(store, "of the server");
  await server.end();
  expect(lines()).toEqual(["of the command", "of the server"]);
});

test("a write error is reported, and the next event retries", async () => {
  const { store, file, lines } = await database();
  const failures: unknown[] = [];
  const follower = followAudit(store, join(dirname(file), "missing", "gatehouse.sqlite"), (error) =>
    failures.push(error),
  );
  await happen(store, "lost?");
  await follower.end();
  expect(failures.length).toBeGreaterThan(0);
  await followAudit(store, file, loud).catchUp();
  expect(lines()).toEqual(["lost?"]);
});

test.each([[[]], [[1_000]]])(
  "trimming the trail also trims the file, after events of a clock that was ahead by %j days",
  async (ahead) => {
    const { store, file } = await database();
    const follower = followAudit(store, file, loud);
    const day = (count: number) => new Date(count * 24 * 60 * 60 * 1000);
    for (const days of ahead) await happen(store, "ahead", { at: day(days) });
    await happen(store, "old", { at: day(0) });
    const { sequence, hash } = await happen(store, "old too", { at: day(20) });
    await happen(store, "kept", { at: day(21) });
    await happen(store, "audit.trimmed", { at: day(60), detail: { through: sequence, hash } });
    await follower.end();
    const types: string[] = [];
    for await (const { type } of readAuditFile(file)) types.push(type);
    expect(types).toEqual(["kept", "audit.trimmed"]);
  },
);

test("a database with another name has its own files", async () => {
  const { store, file } = await database();
  const other = join(dirname(file), "try.sqlite");
  const follower = followAudit(store, other, loud);
  await happen(store, "elsewhere");
  await follower.end();
  expect(readFileSync(join(dirname(file), "try.audit.jsonl"), "utf8")).toMatch(/elsewhere/);
  rmSync(join(dirname(file), "try.audit.jsonl"));
});
