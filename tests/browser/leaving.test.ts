import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Installation, startInstallation } from "#tests/browser/support/installation.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { consentPage, loginPage, logoutPage, signInAt } from "./support/pages.ts";
import { SCRIPTING } from "./support/variants.ts";

let installation: Installation;
/** Another site than the application's, to which its callback redirects. */
let tenant: Site;
let gateway: Site;
let party: RelyingParty;

type Site = { url: string; close(): void };

/** Serves each path by a function; every site has its own origin. */
async function openSite(serve: (path: string, response: ServerResponse) => void): Promise<Site> {
  const server: Server = createServer(({ url = "" }, response) => serve(url, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

function page(response: ServerResponse, html: string): void {
  response.setHeader("content-type", "text/html").end(`<!doctype html><title>An application</title>${html}`);
}

beforeAll(async () => {
  installation = await startInstallation();
  tenant = await openSite((_path, response) => page(response, "<h1>Tenant</h1>"));
  gateway = await openSite((path, response) => {
    if (path.startsWith("/callback")) response.writeHead(303, { location: `${tenant.url}/arrived` }).end();
    else if (path.startsWith("/popup")) page(response, `<script>opener.postMessage("signed in", "*")</script>`);
    else page(response, "<h1>Opener</h1>");
  });
  const client = await installation.server.clients.create({
    redirectUris: [`${gateway.url}/callback`],
    postLogoutRedirectUris: [`${gateway.url}/callback`],
  });
  party = createRelyingParty({ issuer: installation.server.url, client });
});

afterAll(async () => {
  await installation?.close();
  gateway?.close();
  tenant?.close();
});

describe.each(SCRIPTING)("an application whose callback redirects to another site, $scripting", ({ javaScript }) => {
  it("is reached after sign-in and consent, after a refused consent, and after a sign-out", async () => {
    const [anna, user] = await Promise.all([installation.open({ javaScript }), installation.createUser()]);
    await signInAt(anna, party.request().url, user);
    await consentPage(anna).allow.click();
    await anna.page.waitForURL(`${tenant.url}/arrived`);

    await anna.page.goto(party.request({ prompt: "consent" }).url);
    await consentPage(anna).reject.click();
    await anna.page.waitForURL(`${tenant.url}/arrived`);

    await anna.page.goto(party.logoutUrl({ post_logout_redirect_uri: `${gateway.url}/callback` }));
    await logoutPage(anna).accept.click();
    await anna.page.waitForURL(`${tenant.url}/arrived`);
    await anna.close();
  });
});

it("a sign-in in a window of its own keeps the window that opened it", async () => {
  const client = await installation.server.clients.create({
    firstParty: true,
    redirectUris: [`${gateway.url}/popup`],
  });
  const inPopup = createRelyingParty({ issuer: installation.server.url, client });
  const [anna, user] = await Promise.all([installation.open(), installation.createUser()]);
  await anna.page.goto(gateway.url);
  const [popup] = await Promise.all([
    anna.page.waitForEvent("popup"),
    anna.page.evaluate((url) => {
      addEventListener("message", ({ data }) => {
        document.title = String(data);
      });
      open(url);
    }, inPopup.request().url),
  ]);
  await loginPage({ page: popup, t: anna.t }).signIn(user);
  await expect.poll(() => anna.page.title()).toBe("signed in");
  await anna.close();
});
