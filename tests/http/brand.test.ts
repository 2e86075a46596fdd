import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "#tests/support/server.ts";

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9H0z"/></svg>';

describe("the office's logo and colour", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-brand-"));
  let server: TestServer;
  let html: string;
  beforeAll(async () => {
    writeFileSync(join(folder, "logo"), SVG);
    server = await startServer({ env: { LOGO_FILE: join(folder, "logo"), ACCENT_COLOR: "#1D4F91" } });
    html = (await server.browser().get("/error")).body;
  });
  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  function urlIn(pattern: RegExp): string {
    const found = pattern.exec(html)?.[1];
    if (!found) throw new Error(`the page has no ${pattern}`);
    return found;
  }

  // Proves requirement 157.
  it("the logo is an image of the page, never part of its markup", () => {
    expect(html).toMatch(/<p class="brand"><img src="\/brand\/logo-[0-9a-f]{16}\.svg" alt=""\/><b>Gatehouse<\/b>/);
    expect(html).not.toContain("M0 0h9v9H0z");
  });

  // Proves requirement 157.
  it("the logo is served so that it can do nothing when it is opened by itself", async () => {
    const response = await fetch(server.url + urlIn(/<img src="([^"]+)"/));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      // An XML declaration could name another encoding, in which the checked text means something else.
      "content-type": "image/svg+xml; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "public, max-age=31536000, immutable",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(await response.text()).toBe(SVG);
  });

  it("the colour is a style sheet after that of the pages", async () => {
    const response = await fetch(
      server.url + urlIn(/<link rel="stylesheet" href="\/assets[^>]+>.*<link rel="stylesheet" href="(\/brand[^"]+)"/),
    );
    expect(response.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(await response.text()).toContain("--brand: #1d4f91;");
    expect(html).not.toMatch(/<style|style="/);
  });

  it("an earlier URL of the logo is an unknown page", async () => {
    const response = await fetch(`${server.url}/brand/logo-0000000000000000.svg`);
    expect(response.status).toBe(404);
    expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });
});

it("pages without logo and colour contain nothing of them", async () => {
  const server = await startServer();
  const { body } = await server.browser().get("/error");
  await server.close();
  expect(body).not.toContain("/brand/");
  expect(body.match(/rel="stylesheet"/g)).toHaveLength(1);
});
