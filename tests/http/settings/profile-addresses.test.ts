import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { serverOfFile } from "#tests/support/server.ts";
import { fill, visit } from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

const EMAIL = "/manage/profile/email";

const server = await serverOfFile({ env: { PROFILE_CHANGES: "email" } });
const settingsClient = await createSettingsClient(server);

/** Statements of workers, which run beside requests, and of transactions. */
const OTHERS =
  /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)|"instance"|update "mail_outbox"|from "mail_outbox"|"sequence" > /;

/** Returns the result of `work` and the statements that SQLite runs during it, in order. */
async function statementsOf<Result>(work: () => Promise<Result>): Promise<{ result: Result; statements: string[] }> {
  const database = new Database(":memory:");
  const { prototype } = Object.getPrototypeOf(database.prepare("select 1")).constructor;
  const statements: string[] = [];
  for (const method of ["all", "run"] as const) {
    const original = prototype[method];
    vi.spyOn(prototype, method).mockImplementation(function (this: Database.Statement, ...values: unknown[]) {
      if (!OTHERS.test(this.source)) statements.push(this.source);
      return original.apply(this, values);
    });
  }
  const result = await work();
  vi.restoreAllMocks();
  database.close();
  return { result, statements };
}

/** Counts the rows of all tables, by the table's name. */
async function countRows(): Promise<Record<string, number>> {
  const { q, t } = server.context.store;
  const counts: Record<string, number> = {};
  for (const [name, table] of Object.entries(t)) counts[name] = await q.$count(table);
  return counts;
}

// Proves requirement 192.
test("a new address of another user runs the same statements and leaves the same rows as a free one", async () => {
  const anna = await server.users.create();
  const ben = await server.users.create();
  const free = `${anna.username}.new@office.example`;
  const taken = `${ben.username}@office.example`;
  const visitor = await visit(server, settingsClient, anna);

  async function effectOf(email: string) {
    const page = await visitor.open(EMAIL);
    await server.mails();
    const before = await countRows();
    const { result, statements } = await statementsOf(() => fill(visitor.browser, page, EMAIL, { email }, "request"));
    const after = await countRows();
    const added = Object.entries(after).map(([name, count]): [string, number] => [name, count - (before[name] ?? 0)]);
    return {
      statements,
      added: Object.fromEntries(added.filter(([, count]) => count !== 0)),
      response: [result.status, result.location, Object.keys(result.headers).toSorted(), result.body],
    };
  }

  // The first request has no earlier one to replace.
  await effectOf(`first.${free}`);
  const ofFree = await effectOf(free);
  expect(await effectOf(taken)).toEqual(ofFree);
  expect(ofFree.added).toEqual({ auditEvents: 1, mailOutbox: 1 });
  expect(ofFree.statements.length).toBeGreaterThan(5);
  const recipients = (await server.mails()).map(({ to }) => to);
  expect(recipients.filter((to) => [free, taken].includes(to))).toEqual([free, taken]);
});
