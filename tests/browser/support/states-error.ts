import { vi } from "vitest";
import type { Visit } from "./page-setup.ts";
import { type PageState, problem } from "./page-state.ts";
import { seesHeading } from "./pages.ts";

const LONG_TEXT =
  "redirect_uri did not match any of the client's registered redirect_uris https://desk.example/oidc/callback/very-long";

/** Returns the URL of a server on localhost by its IP address, which is not the issuer's host. */
export function otherHost(serverUrl: string): string {
  return serverUrl.replace("//localhost:", "//127.0.0.1:");
}

/** Posts a form that no page of the product contains. */
async function send({ anna, installation }: Visit, fields: Readonly<Record<string, string>>) {
  await anna.page.goto(`${installation.server.url}/login`);
  await anna.page.evaluate((values) => {
    const form = Object.assign(document.createElement("form"), { method: "post", action: "/login/native" });
    for (const [name, value] of Object.entries(values)) {
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    document.body.append(form);
    form.submit();
  }, fields);
}

export const errorStates: readonly PageState[] = [
  problem("an application's mistake", 400, "oauthError.title", async ({ anna, installation }) => {
    const query = new URLSearchParams({ error: "invalid_redirect_uri", error_description: LONG_TEXT });
    await anna.page.goto(`${installation.server.url}/error?${query}`);
  }),
  problem("an application's mistake, without details", 400, "oauthError.title", async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/error`);
  }),
  problem("page not found", 404, "serverError.404.title", async ({ anna, installation }) => {
    await anna.page.goto(`${installation.server.url}/there/is/nothing`);
  }),
  problem("a form with unknown fields", 400, "serverError.400.title", async (visit) => {
    await send(visit, { surprise: "1" });
    await seesHeading(visit.anna, visit.anna.t("serverError.400.title"));
  }),
  problem("a form that is too long", 413, "serverError.413.title", async (visit) => {
    await send(visit, { username: "x".repeat(100_000) });
    await seesHeading(visit.anna, visit.anna.t("serverError.413.title"));
  }),
  problem("a form of another site", 403, "serverError.origin.title", async ({ anna, installation, plain }) => {
    await anna.page.goto(plain.url);
    await anna.page.evaluate((action) => {
      const form = Object.assign(document.createElement("form"), { method: "post", action });
      document.body.append(form);
      form.submit();
    }, `${installation.server.url}/login/native`);
    await seesHeading(anna, anna.t("serverError.origin.title"));
  }),
  problem("another host", 421, "serverError.421.documentTitle", async ({ anna, installation }) => {
    await anna.page.goto(`${otherHost(installation.server.url)}/login`);
  }),
  problem("a failure of the server", 500, "serverError.500.title", async ({ anna, installation, own }) => {
    await anna.page.goto(`${own.url}/sign-in`);
    vi.spyOn(installation.server.context.secrets, "checkMac").mockImplementationOnce(() => {
      throw new Error("something is broken");
    });
    await anna.page.reload();
  }),
];
