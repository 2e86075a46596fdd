import { copyFileSync, existsSync, linkSync, renameSync, unlinkSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openForm } from "#tests/http/login/open-form.ts";
import { type Office, openOffice } from "#tests/http/restore/installation.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";

let office: Office;

beforeEach(async () => {
  office = await openOffice();
  await office.addUser("anna");
});
afterEach(() => office?.close());

async function readiness() {
  const answer = await fetch(`${office.server.url}/readyz`);
  return { status: answer.status, body: Object(await answer.json()) };
}

const happenings: Readonly<Record<string, () => void>> = {
  "another file was moved over": () => {
    copyFileSync(office.file, `${office.file}.other`);
    renameSync(`${office.file}.other`, office.file);
  },
  "was deleted": () => unlinkSync(office.file),
};

test.each(Object.keys(happenings))(
  "a database file that %s while the server runs: not ready, an error line, 503 for sign-ins, and all well when it is back",
  async (happening) => {
    const browser = createBrowser({ base: office.server.url });
    const form = await openForm(browser, office.party.request().url);
    expect((await readiness()).status).toBe(200);
    linkSync(office.file, `${office.file}.kept`);
    happenings[happening]?.();

    const ready = await readiness();
    expect(ready).toMatchObject({ status: 503, body: { checks: { writes: "failed" } } });
    const lines = () =>
      office.server
        .output()
        .split("\n")
        .filter((line) => line.includes("readiness check failed"))
        .map((line) => Object(JSON.parse(line)));
    await expect.poll(lines).toContainEqual(expect.objectContaining({ level: 50, check: "writes" }));
    expect(JSON.stringify(lines())).toContain(office.file);
    const answer = await form.post({ username: "anna", password: TEST_PASSWORD });
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
    expect((await fetch(`${office.server.url}/healthz`)).status).toBe(200);

    renameSync(`${office.file}.kept`, office.file);
    expect(existsSync(`${office.file}.kept`)).toBe(false);
    await expect.poll(async () => (await readiness()).status, { timeout: 10_000 }).toBe(200);
    expect((await form.post({ username: "anna", password: TEST_PASSWORD })).status).toBe(303);
  },
  120_000,
);
