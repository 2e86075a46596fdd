import { describe, expect, it } from "vitest";
import { fallbackPage } from "#app/http/fallback-page.server.ts";
import { withBreaks } from "#tests/support/html.ts";

const DETAILS = { requestId: "7f3k-92qd", issuer: "https://id.example" };

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

  it("has no script and no style, so that it works with every Content-Security-Policy", () => {
    expect(fallbackPage({ ...DETAILS, status: 500, code: "internal" })).not.toMatch(/<script|<style|style=|<link|<img/);
  });
});
