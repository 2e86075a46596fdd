import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { seedSession } from "#tests/support/session.ts";

const server = await serverOfFile();

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><script>alert(1)</script></svg>`;
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

async function storeLogo(mediaType: string, content: Buffer) {
  const { clientId } = await server.clients.create({ clientUri: "https://desk.example/" });
  const contentHash = createHash("sha256").update(content).digest("base64url");
  const { q, t } = server.context.store;
  await q.insert(t.clientLogos).values({ clientId, mediaType, contentBase64: content.toString("base64"), contentHash });
  return { clientId, contentHash, url: `/clients/${clientId}/logo?v=${contentHash}` };
}

const svg = await storeLogo("image/svg+xml", Buffer.from(SVG));
const png = await storeLogo("image/png", PNG);
const bare = await server.clients.create();

test("a logo is sent without a session, and browsers may keep it", async () => {
  const response = await server.browser().get(png.url);
  expect(response.status).toBe(200);
  expect(response.headers).toMatchObject({
    "content-type": "image/png",
    "content-length": String(PNG.length),
    "cache-control": "private, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  });
});

// Proves requirement 194.
test("an SVG that is opened by its address runs no script and has no access to this site", async () => {
  const response = await server.browser().get(svg.url);
  expect(response.headers).toMatchObject({
    "content-type": "image/svg+xml; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  });
  expect(response.body).toBe(SVG);
});

// Proves requirement 194.
test("any other hash gets the response of an application that does not exist", async () => {
  const shown = ({ status, headers, body }: HttpResponse) => [status, headers["cache-control"], body];
  const browser = server.browser();
  const unknown = shown(await browser.get(`/clients/nobody/logo?v=${png.contentHash}`));
  expect(unknown.slice(0, 2)).toEqual([404, "no-store"]);
  for (const url of [
    `/clients/${png.clientId}/logo`,
    `/clients/${png.clientId}/logo?v=`,
    `/clients/${png.clientId}/logo?v=${svg.contentHash}`,
    `/clients/${bare.clientId}/logo?v=${png.contentHash}`,
  ]) {
    expect([url, ...shown(await browser.get(url))]).toEqual([url, ...unknown]);
  }
});

test("the start page shows the logo of an application, and the letters of one without a logo", async () => {
  const browser = server.browser();
  await seedSession(server, browser, await server.users.create());
  const page = (await browser.get("/")).page();
  expect(page.all("img").map(({ attributes }) => attributes.src)).toEqual([svg.url, png.url]);
  expect(page.one("ul", { class: "tiles" }).text).toContain("A3Application 3 ");
});
