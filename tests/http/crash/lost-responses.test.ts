import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openForm } from "#tests/http/login/open-form.ts";
import { movedSince, readMetrics } from "#tests/http/metrics/metrics-port.ts";
import { followRedirects } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { startInstallation } from "#tests/http/restore/installation.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { freePort } from "#tests/support/free-port.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { databaseOfRun } from "./command.ts";
import { diskFailures } from "./disk-failures.ts";

const SCENE_MS = 120_000;
const SUCCEEDED = /"event":"sign-in\.succeeded"/g;

/** Starts a server with metrics whose commits can be made to fail, as on a full disk. */
async function openScene() {
  const database = await databaseOfRun();
  const port = await freePort();
  const installation = await startInstallation({ ...database.env, METRICS_PORT: String(port) });
  onTestFinished(async () => {
    await installation.close();
    await database.remove();
  });
  const { DATABASE_URL: url = "" } = database.env;
  if (url.startsWith("postgres")) {
    return { office: installation, port, fail: () => refuse(url), repair: () => takeAgain(url) };
  }
  const [disk] = diskFailures();
  if (!disk) throw new Error("no disk fails");
  return {
    office: installation,
    port,
    fail: async () => disk.break(installation),
    repair: async () => disk.repair(installation),
  };
}

/** Makes every commit with an audit event fail, after all its statements have succeeded. */
const refuse = (url: string) =>
  onPostgres(
    url,
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
     CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON audit_events DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );

const takeAgain = (url: string) => onPostgres(url, "DROP TRIGGER refuse ON audit_events; DROP FUNCTION refuse");

async function onPostgres(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

test(
  "a sign-in whose commit fails is neither logged as succeeded nor counted in the metrics",
  async () => {
    const { office: installation, port, fail, repair } = await openScene();
    const { server, party } = installation;
    await installation.addUser("anna");
    const form = await openForm(createBrowser({ base: server.url }), party.request().url);
    const before = await readMetrics(port);
    const moved = async () => movedSince(before, await readMetrics(port), "gatehouse_sign_ins_total");
    const typed = { username: "anna", password: TEST_PASSWORD };

    await fail();
    expect((await form.post(typed)).status).toBe(500);
    // A success would have been logged before this error.
    await expect.poll(() => server.output(), { timeout: 30_000 }).toMatch(/"level":50/);
    expect(server.output()).not.toMatch(SUCCEEDED);
    expect(await moved()).toEqual({});

    await repair();
    expect(redirectParameters(await followRedirects(form.browser, await form.post(typed)))).toHaveProperty("code");
    await expect.poll(() => server.output().match(SUCCEEDED), { timeout: 30_000 }).toHaveLength(1);
    expect(await moved()).toEqual({ '{result="succeeded",method="password"}': 1 });
  },
  SCENE_MS,
);
