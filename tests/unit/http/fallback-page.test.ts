import { describe, expect, it } from "vitest";
import { fallbackPage } from "#app/http/fallback-page.server.ts";
import { FALLBACK_STYLES } from "#app/http/fallback-styles.ts";
import { readPage, withBreaks } from "#tests/support/html.ts";
import { readText } from "#tests/support/source-tree.ts";

const config = {
  issuer: "https://id.example:8443",
  productName: "Müller & <b>Söhne</b>",
  accent: null,
  logo: null,
  appUrl: "https://app.example/?a=1&b=2",
  imprintUrl: "https://app.example/imprint",
  privacyUrl: "https://app.example/privacy",
  termsUrl: null,
  sfdrUrl: null,
  supportContact: "<IT> & help $&",
};
const DETAILS = { requestId: "7f3k-92qd", config, language: "en" } as const;
const WRONG_HOST = { ...DETAILS, status: 421, code: "bad request" } as const;

const links = (html: string, tag = "main") =>
  readPage(html)
    .one(tag)
    .parts.flatMap(function anchors(part): [string, string][] {
      return part.tag === "a" ? [[part.text, part.attributes.href ?? ""]] : part.parts.flatMap(anchors);
    });

describe("the page in one piece", () => {
  it.each([
    [500, "internal", "Internal server error", "Interner Serverfehler"],
    [503, "overloaded", "Briefly unavailable", "Kurzzeitig nicht verfügbar"],
    [421, "bad request", "Wrong address", "Falsche Adresse"],
    [403, "origin", "another website", "anderen Website"],
    [429, "throttled", "Please wait 1 minute", "Bitte warten Sie 1 Minute"],
    [405, "bad request", "An error occurred", "Ein Fehler ist aufgetreten"],
  ] as const)("shows %i %s in the language of the request, with the reference", (status, code, english, german) => {
    for (const [language, text] of [
      ["en", english],
      ["de", german],
    ] as const) {
      const { body, headers } = fallbackPage({ ...DETAILS, status, code, language });
      const page = readPage(body);
      expect(page.lang).toBe(language);
      expect(headers["Content-Language"]).toBe(language);
      expect(withBreaks(page.text)).toContain(text);
      expect(page.one("code").text).toBe("7f3k-92qd");
      expect(page.state()).toEqual({ server_error: { code: status, reference: "7f3k-92qd" } });
    }
  });

  it("leads from a wrong address to the right one first, then to the application", () => {
    expect(links(fallbackPage(WRONG_HOST).body)).toEqual([
      ["Open id.example:8443", "https://id.example:8443/"],
      ["Go to the application", "https://app.example/?a=1&b=2"],
    ]);
    expect(links(fallbackPage({ ...WRONG_HOST, status: 500 }).body)).toEqual([
      ["Go to the application", "https://app.example/?a=1&b=2"],
    ]);
  });

  it("names the right address at the start of the response, and before all other text of the page", () => {
    for (const [language, sentence] of [
      ["en", "The right address is https://id.example:8443."],
      ["de", "Die richtige Adresse ist https://id.example:8443."],
    ] as const) {
      const { body } = fallbackPage({ ...WRONG_HOST, language });
      expect(body.slice(0, 200)).toContain("https://id.example:8443");
      expect(readPage(body).one("p", { class: "lead" }).text).toMatch(new RegExp(`^${sentence}`));
    }
  });

  it("names product and legal pages, as every page", () => {
    const { body } = fallbackPage(WRONG_HOST);
    const page = readPage(body);
    expect(page.title).toBe("Error: Wrong address, please open https://id.example:8443 | Müller & <b>Söhne</b>");
    expect(page.one("header").text).toBe("Müller & <b>Söhne</b>");
    expect(links(body, "footer")).toEqual([
      ["Imprint", "https://app.example/imprint"],
      ["Privacy", "https://app.example/privacy"],
    ]);
  });

  it("names whom to ask", () => {
    const textWith = (supportContact: string | null) =>
      readPage(fallbackPage({ ...WRONG_HOST, config: { ...config, supportContact } }).body).text;
    expect(textWith(config.supportContact)).toContain("Please contact <IT> & help $& and name this reference.");
    expect(textWith(null)).toContain("Please give your administrator this reference.");
    const { body } = fallbackPage({ ...WRONG_HOST, config: { ...config, supportContact: "it@broker.example" } });
    expect(links(body).at(-1)).toEqual(["it@broker.example", "mailto:it@broker.example"]);
  });

  it("loads nothing and allows its own styles only", () => {
    const { body, headers } = fallbackPage(WRONG_HOST);
    expect(body).not.toMatch(/<script|style=|<link|<img|url\(|@import/);
    expect(headers["Content-Security-Policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'$/,
    );
    expect(headers["Cache-Control"]).toBe("no-store");
  });

  it("has the colours of all pages, and the office's own", () => {
    const [light = "", dark = ""] = readText("app/styles/tokens.css").split("(prefers-color-scheme: dark)");
    const [ownLight = "", ownDark = ""] = FALLBACK_STYLES.split("(prefers-color-scheme: dark)");
    for (const [own, tokens] of [
      [ownLight, light],
      [ownDark, dark],
    ] as const) {
      const colours = [...(own.split("@layer page")[0] ?? "").matchAll(/--[\w-]+: #\w+;/g)].map(([colour]) => colour);
      expect(colours.length).toBeGreaterThan(10);
      for (const colour of colours) expect(tokens).toContain(colour);
    }
    const colours = (brand: string) => ({ brand, hover: "#300", onBrand: "#fff" });
    const accent = { light: colours("#811111"), dark: colours("#922222") };
    const { body } = fallbackPage({ ...WRONG_HOST, config: { ...config, accent } });
    expect(body.indexOf("--brand: #811111")).toBeGreaterThan(body.indexOf("--brand: #5fc3a8"));
    expect(body).toContain("--brand: #922222");
  });
});
