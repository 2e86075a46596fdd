import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import { getInstance } from "#app/i18n/instance.server.ts";
import type { Language } from "#app/i18n/language.ts";
import { type DocumentContext, DocumentReactContext } from "#app/ui/document-context.tsx";
import { Footer } from "#app/ui/footer.tsx";
import { Shell } from "#app/ui/shell.tsx";
import { type Page, readPage } from "#tests/support/html.ts";

const LEGAL = { imprint: "https://suite.example/imprint", privacy: null, terms: null, sfdr: null };

const DOCUMENT: Omit<DocumentContext, "state"> = {
  title: "",
  languageForm: null,
  area: "login",
  layout: "counter",
  hydrates: false,
  product: "Gatehouse",
  legal: LEGAL,
  appUrl: "https://suite.example/",
  hasStartPage: true,
  retryUrl: null,
  supportContact: "help@office.example",
  requestId: "7f3k-92qd",
  nonce: "",
  scriptUrl: "",
};

/** Renders a page on the server, in the page shell. */
export function render(screen: ReactNode, language: Language = "en", state: object = {}): Page & { html: string } {
  const html = renderToString(
    <I18nextProvider i18n={getInstance(language, "Gatehouse")}>
      <DocumentReactContext.Provider value={{ ...DOCUMENT, state }}>
        <Shell
          layout="counter"
          state={state}
          footer={<Footer links={LEGAL} currentPage={{ pathname: "/login", search: "", state }} />}
        >
          {screen}
        </Shell>
      </DocumentReactContext.Provider>
    </I18nextProvider>,
  );
  return { ...readPage(html), html };
}

/** Returns the names of the fields that a browser submits with this form, in order. */
export function fieldNames(page: Page, path: string): string[] {
  return page.form(path).fields.map(([name]) => name);
}
