import { describe, expect, it } from "vitest";
import { fallbackPage } from "#app/http/fallback-page.server.ts";

const DETAILS = { requestId: "7f3k-92qd", issuer: "https://id.example" };

describe("the page that needs nothing", () => {
  it.each([
    [500, "internal", "Internal server error", "Interner Serverfehler"],
    [503, "overloaded", "Briefly unavailable", "Kurzzeitig nicht verfügbar"],
    [421, "bad request", "Wrong address", "Falsche Adresse"],
    [403, "origin", "another website", "anderen Website"],
    [405, "bad request", "An error occurred", "Ein Fehler ist aufgetreten"],
  ] as const)("tells %i %s in both languages, with the reference", (status, code, english, german) => {
    const page = fallbackPage({ ...DETAILS, status, code });
    for (const text of [english, german, "7f3k-92qd", 'href="https://id.example/"']) expect(page).toContain(text);
  });

  it("needs no script and no style, so that every Content-Security-Policy lets it be", () => {
    expect(fallbackPage({ ...DETAILS, status: 500, code: "internal" })).not.toMatch(/<script|<style|style=|<link|<img/);
  });
});
