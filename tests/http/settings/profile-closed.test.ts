// Proves requirement 190.
import { describe, expect, test } from "vitest";
import { stateOf } from "#tests/http/login/open-form.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { visit } from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

const PAGES = [
  ["/manage/profile/name", { displayName: "Thief" }],
  ["/manage/profile/phone", { phone: "1" }],
  ["/manage/profile/email", { email: "thief@other.example" }],
] as const;

describe.each([
  ["not set", undefined, []],
  ["phone", "phone", ["/manage/profile/phone"]],
] as const)("with PROFILE_CHANGES %s", async (_what, value, open) => {
  const server = await serverOfFile({ env: value === undefined ? {} : { PROFILE_CHANGES: value } });
  const settingsClient = await createSettingsClient(server);
  const at = eachTest(async () => {
    const anna = await server.users.create();
    return { visitor: await visit(server, settingsClient, anna) };
  });

  // Proves requirement 190.
  test("the settings link what may be changed, and nothing else", async () => {
    const overview = (await at.visitor.open("/manage")).page();
    const links = overview.all("a").map(({ attributes }) => attributes.href ?? "");
    expect(links.filter((href) => href.startsWith("/manage/profile/"))).toEqual(open);
    expect(overview.text.includes("Personal details")).toBe(open.length > 0);
  });

  test.each(PAGES.filter(([path]) => !open.some((allowed) => allowed === path)))(
    "%s is not found, for a GET and a POST",
    async (path, typed) => {
      const before = await at.visitor.stored();
      expect((await at.visitor.open(path)).status).toBe(404);
      const _xsrf = String(stateOf(await at.visitor.open("/manage")).xsrf_token);
      expect((await at.visitor.browser.post(path, { _xsrf, ...typed })).status).toBe(404);
      expect(await at.visitor.stored()).toEqual(before);
      expect(await server.mails()).toEqual([]);
    },
  );
});
