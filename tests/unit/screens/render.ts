import { createElement, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import { Footer } from "#app/components/footer.tsx";
import { Shell } from "#app/components/shell.tsx";
import { getInstance } from "#app/i18n/instance.server.ts";
import type { Language } from "#app/i18n/language.ts";
import { type Page, readPage } from "#tests/support/html.ts";

/** A screen as the server renders it, in the shell that every page has. */
export function render(screen: ReactNode, language: Language = "en", state: object = {}): Page & { html: string } {
  const legal = { imprint: "https://suite.example/imprint", privacy: null, terms: null, sfdr: null };
  const footer = createElement(Footer, { links: legal, here: { pathname: "/login", search: "", state } });
  const shell = createElement(Shell, { state, footer, children: screen });
  const i18n = getInstance(language, "Gatehouse");
  const html = renderToString(createElement(I18nextProvider, { i18n }, shell));
  return { ...readPage(html), html };
}

/** The names that a browser would send for this form, in order. */
export function fieldNames(page: Page, path: string): string[] {
  return page.form(path).fields.map(([name]) => name);
}
