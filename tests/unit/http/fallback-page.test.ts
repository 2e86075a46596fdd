import { describe, expect, it } from "vitest";
import { fallbackPage } from "#app/http/fallback-page.server.ts";
import { withBreaks } from "#tests/support/html.ts";

const config = { issuer: "https://id.example", supportContact: "<IT> & help" };
const DETAILS = { requestId: "7f3k-92qd", config };

describe("the page without dependencies", () => {
  it.each([
    [500, "internal", "Internal server error", "Interner Serverfehler"],
    [503, "overloaded", "Briefly unavailable", "Kurzzeitig nicht verfügbar"],
    [421, "bad request", "Wrong address", "Falsche Adresse"],
    [403, "origin", "another website", "anderen Website"],
    [429, "throttled", "Please wait 1 minute", "Bitte warten Sie 1 Minute"],
    [405, "bad request", "An error occurred", "Ein Fehler ist aufgetreten"],
  ] as const)("shows %i %s in every language, with the reference", (status, code, english, german) => {
    const page = withBreaks(fallbackPage({ ...DETAILS, status, code }));
    for (const text of [english, german, "7f3k-92qd", 'href="https://id.example/"']) expect(page).toContain(text);
  });

  it("names whom to ask and the reference, in every language", () => {
    const page = fallbackPage({ ...DETAILS, status: 421, code: "bad request" });
    expect(page).toContain("Please contact &lt;IT&gt; &amp; help and name this reference.");
    expect(page).toContain("Bitte wenden Sie sich an &lt;IT&gt; &amp; help und nennen Sie diese Vorgangsnummer.");
    const unknown = { ...config, supportContact: null };
    expect(fallbackPage({ ...DETAILS, config: unknown, status: 421, code: "bad request" })).toContain(
      "Bitte nennen Sie Ihrer Administration diese Vorgangsnummer.",
    );
  });

  it("has no script and no style, so that it works with every Content-Security-Policy", () => {
    expect(fallbackPage({ ...DETAILS, status: 500, code: "internal" })).not.toMatch(/<script|<style|style=|<link|<img/);
  });
});
