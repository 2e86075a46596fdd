import { describe, expect, test } from "vitest";
import { LANGUAGES } from "#app/i18n/language.ts";
import { EVERY_STATE } from "./every-state.tsx";
import { render } from "./render.tsx";

const PAGES = Object.entries(EVERY_STATE);
const TRANSLATED = LANGUAGES.flatMap((language) => PAGES.map(([name, screen]) => ({ language, name, screen })));

test.each(TRANSLATED)(
  "$name ($language) has one heading, one main element, and no untranslated key",
  ({ language, screen }) => {
    const page = render(screen, language);
    expect(page.all("h1")).toHaveLength(1);
    expect(page.one("h1").text).not.toBe("");
    expect(page.one("main").attributes.id).toBe("main");
    expect(page.text).not.toMatch(/\{\{|\}\}|\b[a-z]+[A-Za-z]*\.[a-z]+[A-Za-z]*\.[a-z]/);
  },
);

describe.each(PAGES)("%s", (_name, screen) => {
  const page = render(screen);

  test("each visible field has a label, and no field a placeholder", () => {
    const labelled = page.all("label").map((label) => label.attributes.for);
    const inputs = page.all("input").filter(({ attributes }) => attributes.type !== "hidden");
    for (const input of inputs) expect(labelled).toContain(input.attributes.id);
    expect(inputs.filter(({ attributes }) => attributes.placeholder !== undefined)).toEqual([]);
  });

  test("ids are unique, and each referenced id exists", () => {
    const ids = [...page.html.matchAll(/ id="([^"]*)"/g)].map((match) => match[1]);
    expect(new Set(ids).size).toBe(ids.length);
    const named = [...page.html.matchAll(/ (?:for|aria-describedby|aria-labelledby|aria-controls)="([^"]*)"/g)];
    for (const id of named.flatMap((match) => (match[1] ?? "").split(" "))) expect(ids).toContain(id);
    for (const link of page.all("a")) {
      if (link.attributes.href?.startsWith("#")) expect(ids).toContain(link.attributes.href.slice(1));
    }
  });

  test("every form is sent by POST and carries the anti-forgery token", () => {
    for (const form of page.forms()) {
      expect(form.method).toBe("post");
      expect(form.fields).toContainEqual(["_xsrf", "the-token"]);
      expect(form.buttons).not.toEqual([]);
    }
  });

  test("Enter in a field never leads to another form: the first button of a form sends it", () => {
    for (const form of page.forms()) {
      const [first, ...others] = form.buttons;
      if (others.length > 0) expect(first?.name).not.toBe("next_form");
    }
  });

  test("what only a script can work is not in the markup, because text browsers show hidden elements", () => {
    const buttons = page.all("button", { type: "button" }).map(({ attributes }) => attributes.class);
    // The page of a security key has nothing but its form, of which the script shows the parts.
    expect(buttons.filter((name) => !name?.startsWith("key-"))).toEqual([]);
    expect(page.all("div", { role: "meter" })).toEqual([]);
    expect(page.text).not.toContain("You can save as soon as all rules are met.");
  });

  test("the page offers a next step: a form that can be submitted, or a link button", () => {
    const canBeSent = page.forms().some((form) => form.buttons.some(({ disabled }) => !disabled));
    const links = page.all("a").filter(({ attributes }) => attributes.class?.includes("button"));
    expect(canBeSent || links.length > 0).toBe(true);
  });
});
