import { describe, expect, test } from "vitest";
import { incrementGeneration } from "#app/db/repositories/user-generation.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { fill, refusalIn, statusAndTarget, visit } from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

const LANGUAGE = "/manage/language";

const server = await serverOfFile({ env: { DEFAULT_LANGUAGE: "de" } });
const settingsClient = await createSettingsClient(server);

const at = eachTest(async () => {
  const anna = await server.users.create({ locale: "en" });
  const visitor = await visit(server, settingsClient, anna);
  return { anna, visitor };
});

/** Returns the languages of the form, German first, and the chosen one. */
async function choices() {
  const options = (await at.visitor.open(LANGUAGE)).page().all("input", { name: "language" });
  const chosen = options.filter(({ attributes }) => "checked" in attributes);
  return [options, chosen].map((all) => all.map(({ attributes }) => attributes.value));
}

describe("the language of mails", () => {
  test("is shown in the settings, German first, and is changed there without JavaScript", async () => {
    expect(await choices()).toEqual([["de", "en"], ["en"]]);
    const saved = await at.visitor.send(LANGUAGE, { language: "de" });
    expect(statusAndTarget(saved)).toEqual([303, "/manage?status=language-saved"]);
    expect((await at.visitor.stored()).locale).toBe("de");
    expect((await choices())[1]).toEqual(["de"]);
    const overview = (await at.visitor.browser.follow(saved)).page();
    expect(overview.text).toContain("The language of your e-mails was saved.");
    expect(overview.one("a", { href: LANGUAGE, class: "line-link" }).attributes["aria-label"]).toContain("Language");
    // The pages of the settings keep the language of the browser.
    expect(overview.lang).toBe("en");
  });

  test("that a user has with a region is the chosen one; without one it is DEFAULT_LANGUAGE", async () => {
    await setUser(server.context, at.anna.username, { locale: "en-GB" });
    expect((await choices())[1]).toEqual(["en"]);
    await setUser(server.context, at.anna.username, { locale: null });
    expect((await choices())[1]).toEqual(["de"]);
  });

  test.each(["fr", "", "__proto__"])("cannot be %j", async (language) => {
    expect((await at.visitor.send(LANGUAGE, { language })).status).toBe(400);
    expect((await at.visitor.stored()).locale).toBe("en");
  });

  test("is not changed by an expired form, or after the access has ended", async () => {
    const page = await at.visitor.open(LANGUAGE);
    const stale = await fill(at.visitor.browser, page, LANGUAGE, { language: "de", _xsrf: "stale" });
    expect(refusalIn(stale)).toMatchObject({ status: 403, error: "xsrf" });
    const { generation } = await at.visitor.stored();
    await incrementGeneration(server.context.store, at.anna.id, { expected: generation, now: server.clock.now() });
    expect((await fill(at.visitor.browser, page, LANGUAGE, { language: "de" })).location).toContain("unauthorized");
    expect((await at.visitor.stored()).locale).toBe("en");
  });
});
