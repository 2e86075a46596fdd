import { describe, expect, test } from "vitest";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { freePort } from "#tests/support/free-port.ts";
import type { Page } from "#tests/support/html.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";

/** Starts a server whose APP_URL is its own front page, runs the work, and stops the server. */
async function withServer(startPage: string, work: (server: TestServer) => Promise<void>): Promise<void> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const env = { ISSUER: url, PORT: String(port), APP_URL: `${url}/`, START_PAGE: startPage };
  const server = await startServer({ env });
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

function linksIn(page: Page): string[] {
  return page
    .one("main")
    .parts.flatMap(({ parts }) => parts)
    .flatMap(({ tag, attributes }) => (tag === "a" ? [attributes.href ?? ""] : []));
}

describe("APP_URL that is the front page of the server", () => {
  test("leads to the sign-in, and then to the start page, without a link to itself", async () => {
    await withServer("applications", async (server) => {
      const anna = await server.users.create();
      const browser = server.browser();
      const front = await browser.get(server.context.config.appUrl);
      const [signIn = "", ...others] = linksIn(front.page());
      expect([front.status, others]).toEqual([200, []]);
      const start = await typePassword(browser, await open(browser, signIn), anna);
      expect([start.status, start.url]).toEqual([200, `${server.url}/`]);
      const again = await browser.get(server.context.config.appUrl);
      expect([again.status, again.page().state()]).toEqual([200, expect.objectContaining({ user_id: anna.id })]);
      // The pages that end without a next step of their own link it once.
      const rejected = await browser.get("/logout/reject");
      expect(linksIn(rejected.page())).toEqual(["/"]);
    });
  });

  test("leads to the settings with START_PAGE=settings, also without a session", async () => {
    await withServer("settings", async (server) => {
      const anna = await server.users.create();
      const browser = server.browser();
      expect(linksIn((await browser.get(server.context.config.appUrl)).page())).toEqual(["/manage/open"]);
      await seedSession(server, browser, anna);
      const settings = await open(browser, server.context.config.appUrl);
      expect([settings.status, settings.url]).toEqual([200, `${server.url}/manage`]);
    });
  });
});
