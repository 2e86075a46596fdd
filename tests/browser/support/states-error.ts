import { vi } from "vitest";
import type { Visit } from "./page-setup.ts";
import { seesHeading } from "./pages.ts";
import type { PageState } from "./states.ts";

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
  {
    name: "an application's mistake",
    status: 400,
    title: "oauthError.title",
    problem: true,
    async reach({ anna, installation }) {
      const query = new URLSearchParams({ error: "invalid_redirect_uri", error_description: LONG_TEXT });
      await anna.page.goto(`${installation.server.url}/error?${query}`);
    },
  },
  {
    name: "an application's mistake, without details",
    status: 400,
    title: "oauthError.title",
    problem: true,
    async reach({ anna, installation }) {
      await anna.page.goto(`${installation.server.url}/error`);
    },
  },
  {
    name: "page not found",
    status: 404,
    title: "serverError.404.title",
    problem: true,
    async reach({ anna, installation }) {
      await anna.page.goto(`${installation.server.url}/there/is/nothing`);
    },
  },
  {
    name: "a form with unknown fields",
    status: 400,
    title: "serverError.400.title",
    problem: true,
    async reach(visit) {
      await send(visit, { surprise: "1" });
      await seesHeading(visit.anna, visit.anna.t("serverError.400.title"));
    },
  },
  {
    name: "a form that is too long",
    status: 413,
    title: "serverError.413.title",
    problem: true,
    async reach(visit) {
      await send(visit, { username: "x".repeat(100_000) });
      await seesHeading(visit.anna, visit.anna.t("serverError.413.title"));
    },
  },
  {
    name: "a form of another site",
    status: 403,
    title: "serverError.origin.title",
    problem: true,
    async reach({ anna, installation, plain }) {
      await anna.page.goto(plain.url);
      await anna.page.evaluate((action) => {
        const form = Object.assign(document.createElement("form"), { method: "post", action });
        document.body.append(form);
        form.submit();
      }, `${installation.server.url}/login/native`);
      await seesHeading(anna, anna.t("serverError.origin.title"));
    },
  },
  {
    name: "another host",
    status: 421,
    title: "serverError.421.title",
    problem: true,
    async reach({ anna, installation }) {
      await anna.page.goto(`${otherHost(installation.server.url)}/login`);
    },
  },
  {
    name: "a failure of the server",
    status: 500,
    title: "serverError.500.title",
    problem: true,
    async reach({ anna, installation, own }) {
      await anna.page.goto(`${own.url}/sign-in`);
      vi.spyOn(installation.server.context.secrets, "checkMac").mockImplementationOnce(() => {
        throw new Error("something is broken");
      });
      await anna.page.reload();
    },
  },
];
