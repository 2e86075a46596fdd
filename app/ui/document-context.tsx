import { createContext, useContext, useEffect } from "react";
import type { LegalLinks } from "./footer.tsx";
import type { LanguageForm } from "./language-link.tsx";

/** `counter`: one narrow sheet. `settings`: the header, the side navigation and a wide sheet, with their style sheet. */
export type Layout = "counter" | "settings";

/** Data of the document around a page. Set by entry.server.tsx, because no loader has run after an error. */
export type DocumentContext = {
  title: string;
  /** Serialised into `data-state` of the root element. */
  state: object;
  /** The form whose user name a change of the language keeps. */
  languageForm: LanguageForm | null;
  area: "login" | "manage";
  layout: Layout;
  /** True for pages that React takes over in the browser: those of the settings, at their own URL. */
  hydrates: boolean;
  product: string;
  legal: LegalLinks;
  appUrl: string;
  /** True if `/` shows the applications of a user with a session, so that other pages may link it. */
  hasStartPage: boolean;
  /** True if APP_URL is `/` of this server; else undefined, so that it is not in the page's data. */
  isAppFrontPage?: true | undefined;
  /** URL of this page if repeating the request may help; null after a POST. */
  retryUrl: string | null;
  /** Reference id shown by error pages. */
  requestId: string;
  /** Contact for help; null if none is configured. */
  supportContact: string | null;
  /** True if the request contained no cookie of ours; else undefined, so that it is not in the page's data. */
  lacksCookie?: boolean | undefined;
  nonce: string;
  /** URL of the client script. */
  scriptUrl: string;
  /** URLs of the office's logo and colours; undefined without them, so that it is not in the page's data. */
  brand?: { logoUrl: string | null; styleUrl: string } | undefined;
};

export const DocumentReactContext = createContext<DocumentContext | null>(null);

/** Returns the URL of the office's logo; null if the product's own mark is shown. */
export function useLogoUrl(): string | null {
  return useContext(DocumentReactContext)?.brand?.logoUrl ?? null;
}

export function useDocumentContext(): DocumentContext {
  const context = useContext(DocumentReactContext);
  if (!context) throw new Error("A page is rendered outside entry.server.tsx");
  return context;
}

const DATA_ID = "document-context";

/** Embeds the document context as JSON for hydration, without the CSP nonce, which is secret. */
export function DocumentContextData(): React.ReactNode {
  const context = { ...useDocumentContext(), nonce: "" };
  const json = JSON.stringify(context).replaceAll("<", "\\u003c");
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON with "<" escaped.
  return <script type="application/json" id={DATA_ID} dangerouslySetInnerHTML={{ __html: json }} />;
}

/** Reads the document context from the page; null if there is none. */
export function readDocumentContext(page: Document): DocumentContext | null {
  const text = page.getElementById(DATA_ID)?.textContent;
  return text ? JSON.parse(text) : null;
}

/**
 * Sets the document's title and `data-state` to those of the page after a navigation in the browser, for which root.tsx
 * is not rendered again. Returns its argument.
 */
export function useDocumentState<Page extends { title: string; state: object } | null>(page: Page): Page {
  useEffect(() => {
    if (!page) return;
    document.title = page.title;
    document.getElementById("root")?.setAttribute("data-state", JSON.stringify(page.state));
  }, [page]);
  return page;
}
