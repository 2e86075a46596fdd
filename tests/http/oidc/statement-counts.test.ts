import Database from "better-sqlite3";
import { beforeEach, expect, test, vi } from "vitest";
import { addGroupMember } from "#app/db/repositories/group-members.server.ts";
import { removeOldAuditEvents } from "#app/domain/audit-trail/retention.server.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { sendApiRequest, type Tokens } from "#tests/support/relying-party.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { open, seedTokens, signIn, typePassword } from "./browser-steps.ts";
import { codeOf } from "./responses.ts";

let browser: Browser;
let tokens: Tokens;

const server = await serverOfFile();
const anna = await server.users.create();
const party = await server.parties.create({ firstParty: true, mayIntrospect: true, scopes: ["openid", "offline"] });

beforeEach(async () => {
  browser = server.browser();
  tokens = await seedTokens(server, browser, party, party.request({ scope: "openid offline" }), anna);
  vi.restoreAllMocks();
});

/** Statements of workers, which run beside requests, and of transactions. */
const OTHERS =
  /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)|"instance"|"mail_outbox"|"backchannel_logouts"|"sequence" > /;

/** A scan in the order of the primary key, which ends after one row. */
const LAST_EVENT = /order by "audit_events"."sequence" desc limit/;

/** Plans that read a table, or all records of a model or tokens of a kind. */
const MANY_ROWS = /SCAN|\((model|kind)=\?\)/;

/** Returns how many statements of requests SQLite runs during `work`. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  return (await statementsOf(work)).length;
}

/** Returns the statements of requests that SQLite runs during `work`. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
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
  await work();
  vi.restoreAllMocks();
  database.close();
  return statements;
}

test("userinfo runs one statement", async () => {
  const headers = { authorization: `Bearer ${tokens.accessToken}` };
  expect(await countStatements(() => sendApiRequest(`${server.url}/userinfo`, { headers }))).toBe(1);
});

test("userinfo runs two statements for the scope groups", async () => {
  const { id: groupId } = await server.groups.create();
  await addGroupMember(server.context.store, { userId: anna.id, groupId });
  const other = await server.parties.create({ firstParty: true, scopes: ["openid", "groups", "offline"] });
  const request = other.request({ scope: "openid groups offline" });
  const { accessToken } = await seedTokens(server, server.browser(), other, request, anna);
  expect(await countStatements(() => other.userinfo(accessToken))).toBe(2);
});

test.each(["access_token", "refresh_token", undefined])(
  "introspection runs two statements (hint: %s)",
  async (hint) => {
    const work = () => party.introspect(tokens.accessToken, { token_type_hint: hint });
    expect(await countStatements(work)).toBe(2);
  },
);

test("a refresh runs five statements", async () => {
  expect(await countStatements(() => party.refresh(tokens.refreshToken))).toBe(5);
});

test("a sign-in by password in a known browser runs at most 27 statements, those for the tokens included", async () => {
  const bert = await server.users.create();
  const own = server.browser();
  await signIn(own, party.request({ prompt: "login" }), bert);
  server.clock.advance(60);
  const request = party.request({ prompt: "login" });
  const page = await open(own, request.url);
  const work = async () => party.exchange(codeOf(await typePassword(own, page, bert)), request);
  expect(await countStatements(work)).toBeLessThanOrEqual(27);
});

test("no statement of sign-ins, refreshes and userinfo requests reads a whole table", async () => {
  const request = party.request({ prompt: "login", scope: "openid offline" });
  const page = await open(browser, request.url);
  const statements = await statementsOf(async () => {
    await party.exchange(codeOf(await typePassword(browser, page, anna)), request);
    await seedTokens(server, browser, party, party.request(), anna);
    await party.refresh(tokens.refreshToken);
    await party.userinfo(tokens.accessToken);
  });
  const plans = await Promise.all(statements.filter((statement) => !LAST_EVENT.test(statement)).map(planOf));
  expect(plans.length).toBeGreaterThan(30);
  expect(plans.filter((plan) => MANY_ROWS.test(plan))).toEqual([]);
});

test("the removal of old audit events does not search all events by type while none is old", async () => {
  const statements = await statementsOf(() => removeOldAuditEvents(server.context));
  expect(statements.filter((statement) => statement.includes('"type" in'))).toEqual([]);
});

/** Returns SQLite's query plan of a statement, after the statement. */
async function planOf(statement: string): Promise<string> {
  const text = statement.replaceAll("?", "NULL");
  return `${text}: ${JSON.stringify(await server.context.store.execute(`EXPLAIN QUERY PLAN ${text}`))}`;
}
