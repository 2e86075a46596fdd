import { createContext, useContext } from "react";
import type { LegalLinks } from "./footer.tsx";

/** Data of the document around a page. Set by entry.server.tsx, because no loader has run after an error. */
export type DocumentContext = {
  title: string;
  /** Serialised into `data-state` of the root element. */
  state: object;
  /** User name in the sign-in form, for the link to the other language. */
  username: string | null;
  area: "login" | "manage";
  product: string;
  legal: LegalLinks;
  appUrl: string;
  /** URL of this page if repeating the request may help; null after a POST. */
  retryUrl: string | null;
  /** Reference id shown by error pages. */
  requestId: string;
  nonce: string;
  /** The client scripts, and the path prefixes of the pages that need them. */
  scripts: readonly PageScript[];
};

export type PageScript = { url: string; below: readonly string[] };

export const DocumentReactContext = createContext<DocumentContext | null>(null);

export function useDocumentContext(): DocumentContext {
  const documentContext = useContext(DocumentReactContext);
  if (!documentContext) throw new Error("a page is rendered outside entry.server.tsx");
  return documentContext;
}

/** Returns the URLs of the client scripts that a page needs. */
export function scriptsFor(pathname: string, { scripts }: Pick<DocumentContext, "scripts">): string[] {
  const needed = scripts.filter(({ below }) => below.some((start) => pathname.startsWith(start)));
  return needed.map(({ url }) => url);
}

const DOCUMENT_CONTEXT_ID = "page-facts";

/** Embeds the document context as JSON for hydration, without the CSP nonce, which is secret. */
export function DocumentContextData(): React.ReactNode {
  const documentContext = { ...useDocumentContext(), nonce: "" };
  const json = JSON.stringify(documentContext).replaceAll("<", "\\u003c");
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON with "<" escaped.
  return <script type="application/json" id={DOCUMENT_CONTEXT_ID} dangerouslySetInnerHTML={{ __html: json }} />;
}

/** Reads the document context from the page; null if there is none. */
export function readDocumentContext(page: Document): DocumentContext | null {
  const text = page.getElementById(DOCUMENT_CONTEXT_ID)?.textContent;
  return text ? JSON.parse(text) : null;
}
