// Proves requirement 146.
import { copyFileSync, existsSync, linkSync, renameSync, unlinkSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openForm } from "#tests/http/login/open-form.ts";
import { type Installation, startInstallation } from "#tests/http/restore/installation.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";

let installation: Installation;

beforeEach(async () => {
  installation = await startInstallation();
  await installation.addUser("anna");
});
afterEach(() => installation?.close());

async function readiness() {
  const response = await fetch(`${installation.server.url}/readyz`);
  return { status: response.status, body: Object(await response.json()) };
}

const happenings: Readonly<Record<string, () => void>> = {
  "another file was moved over": () => {
    copyFileSync(installation.file, `${installation.file}.other`);
    renameSync(`${installation.file}.other`, installation.file);
  },
  "was deleted": () => unlinkSync(installation.file),
};

test.each(Object.keys(happenings))(
  "a database file that %s while the server runs: not ready, an error line, 503 for sign-ins, and recovery when it is back",
  async (happening) => {
    const browser = createBrowser({ base: installation.server.url });
    const form = await openForm(browser, installation.party.request().url);
    expect((await readiness()).status).toBe(200);
    linkSync(installation.file, `${installation.file}.kept`);
    happenings[happening]?.();

    const ready = await readiness();
    expect(ready).toMatchObject({ status: 503, body: { checks: { writes: "failed" } } });
    const lines = () =>
      installation.server
        .output()
        .split("\n")
        .filter((line) => line.includes("readiness check failed"))
        .map((line) => Object(JSON.parse(line)));
    await expect.poll(lines).toContainEqual(expect.objectContaining({ level: 50, check: "writes" }));
    expect(JSON.stringify(lines())).toContain(installation.file);
    const response = await form.post({ username: "anna", password: TEST_PASSWORD });
    expect([response.status, response.headers["retry-after"]]).toEqual([503, "5"]);
    expect((await fetch(`${installation.server.url}/healthz`)).status).toBe(200);

    renameSync(`${installation.file}.kept`, installation.file);
    expect(existsSync(`${installation.file}.kept`)).toBe(false);
    await expect.poll(async () => (await readiness()).status).toBe(200);
    expect((await form.post({ username: "anna", password: TEST_PASSWORD })).status).toBe(303);
  },
  120_000,
);
