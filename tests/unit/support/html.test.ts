import { describe, expect, it } from "vitest";
import { readPage } from "#tests/support/html.ts";

const HTML = `<!doctype html><html lang="de"><head><title>Anmelden | Gatehouse</title><script>"not text"</script></head>
<body><div id="root" data-state='{"error":null,"login_challenge":"a&amp;b"}'><main><h1>Anmelden</h1><p>Ein <b>Wo</b>rt</p>
<form method="post" action="/login/native?x=1"><input type="hidden" name="_xsrf" value="&quot;t&quot;">
<label for="u">Name</label><input id="u" name="username"><input type="password" name="password" disabled>
<input type="checkbox" name="off"><input type="checkbox" name="on" checked>
<select name="language"><option value="en">English<option value="de" selected>Deutsch</select>
<button name="proceed" value="1">Anmelden</button><button type="button">Zeigen</button></form>
<form action="/search" id="search"><button>Suchen</button></form><input name="q" form="search" value="1">
<form action="/login/native" id="empty"></form><form action="/login/native"><button form="search">Finden</button></form></main></div></body></html>`;

describe("the page reader of the tests", () => {
  const page = readPage(HTML);

  it("reads title, language and text", () => {
    expect(page.title).toBe("Anmelden | Gatehouse");
    expect(page.lang).toBe("de");
    expect(page.text).toContain("Anmelden Ein Wort Name");
    expect(page.text).not.toContain("not text");
  });

  it("reads the page's state", () => {
    expect(page.state()).toEqual({ error: null, login_challenge: "a&b" });
  });

  it("reads what a browser would send", () => {
    const form = page.form("/login/native");
    expect(form.method).toBe("post");
    expect(form.fields).toEqual([
      ["_xsrf", '"t"'],
      ["username", ""],
      ["on", "on"],
      ["language", "de"],
    ]);
    expect(form.buttons).toEqual([{ name: "proceed", value: "1", label: "Anmelden", disabled: false }]);
    expect(page.form("/search").fields).toEqual([["q", "1"]]);
  });

  it("leaves out forms whose buttons belong to other forms or are elsewhere", () => {
    expect(page.forms().map(({ action }) => action)).toEqual([
      "/login/native?x=1",
      "/search",
      "/login/native",
      "/login/native",
    ]);
    expect(page.form("/login/native").method).toBe("post");
  });

  it("finds elements by tag and attributes, and throws when there is not exactly one", () => {
    expect(page.one("label", { for: "u" }).text).toBe("Name");
    expect(page.all("input", { type: "checkbox" })).toHaveLength(2);
    expect(() => page.one("input")).toThrow("Expected one <input> with {}, found 6.");
    expect(() => page.form("/nowhere")).toThrow("found 0");
  });
});
