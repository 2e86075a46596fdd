import { describe, expect, test } from "vitest";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createFormSetup, FORM_PATHS, openFormAt } from "./forms.ts";

const server = await serverOfFile();
const setup = await createFormSetup(server);

/** Headers of a post by another site's page, or by a frame with an opaque origin. */
const FOREIGN: Readonly<Record<string, () => Record<string, string>>> = {
  "another site": () => ({ origin: "https://evil.example" }),
  "a page without an origin": () => ({ origin: "null" }),
  "a subdomain": () => ({ origin: server.url.replace("localhost", "evil.localhost") }),
  "another port": () => ({ origin: "http://localhost:9" }),
  "https in place of http": () => ({ origin: server.url.replace("http:", "https:") }),
  "a name with the same beginning": () => ({ origin: `${server.url}.evil.example` }),
  "an origin with a path": () => ({ origin: `${server.url}/` }),
  "an empty origin": () => ({ origin: "" }),
};

describe.each(FORM_PATHS)("a form that is posted to %s", (path) => {
  // Proves requirement 112.
  test.each(Object.entries(FOREIGN))(
    "by %s is a 403 page with the reason, without effect",
    async (_sender, headersOf) => {
      const browser = server.browser();
      const form = await openFormAt(setup, path, browser);
      const response = await browser.post(path, { ...form.fields, _xsrf: form.token }, { headers: headersOf() });
      expect([response.status, response.location, response.setCookies]).toEqual([403, null, []]);
      expect(response.page().title).toBe("Error: This form was sent from another website | Gatehouse");
      expect(response.page().state()).toEqual({ server_error: { code: 403, reference: expect.any(String) } });
      // Nothing has changed: the user's own form still works.
      expect((await browser.post(path, { ...form.fields, _xsrf: form.token })).status).toBe(303);
    },
  );

  test.each(["cross-site", "same-site"])("without an origin but as a %s request is a 403", async (site) => {
    const browser = server.browser();
    const form = await openFormAt(setup, path, browser);
    const body = new URLSearchParams({ _xsrf: form.token }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": site };
    expect((await browser.send("POST", path, body, { headers })).status).toBe(403);
  });
});

test.each(["same-origin", "none"])("a form of our own page is accepted, also as %s without an origin", async (site) => {
  const browser = server.browser();
  const { fields, token, path } = await openFormAt(setup, "/login/native", browser);
  const body = new URLSearchParams({ ...strings(fields), _xsrf: token }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": site };
  expect((await browser.send("POST", path, body, { headers })).status).toBe(303);
});

test("is in German for a German browser", async () => {
  const response = await server
    .browser("de")
    .post("/login/native", {}, { headers: { origin: "https://evil.example" } });
  expect([response.status, response.page().lang]).toEqual([403, "de"]);
});

test("programs need no Origin: the engine's endpoints respond to them", async () => {
  const browser = server.browser();
  for (const path of [ENGINE_ROUTES.token, ENGINE_ROUTES.introspection, ENGINE_ROUTES.revocation]) {
    const response = await browser.post(path, { token: "x" }, { headers: { origin: "https://app.example" } });
    expect([path, response.status >= 400 && response.status < 500, response.status === 403]).toEqual([
      path,
      true,
      false,
    ]);
    expect(response.json()).toHaveProperty("error");
  }
});

test("an unknown path refuses foreign posts like any other", async () => {
  const response = await server.browser().post("/nowhere", {}, { headers: { origin: "https://evil.example" } });
  expect(response.status).toBe(403);
});

function strings(fields: Readonly<Record<string, string | readonly string[]>>) {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}
