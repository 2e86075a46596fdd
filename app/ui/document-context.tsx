import { createContext, useContext } from "react";
import type { LegalLinks } from "./footer.tsx";

/** What the document around a page is made of. It comes from entry.server.tsx, because after an error no loader has run. */
export type DocumentContext = {
  title: string;
  /** Stands in `data-state` on the root element. */
  state: object;
  /** What stands in the field of the sign-in form, for the link to the other language. */
  username: string | null;
  area: "login" | "manage";
  product: string;
  legal: LegalLinks;
  appUrl: string;
  /** This page's own address, where asking for it again may help; null after a form. */
  retryUrl: string | null;
  /** The reference that an error page shows. */
  requestId: string;
  nonce: string;
  /** The small scripts, and the addresses below which pages need them. */
  scripts: readonly PageScript[];
};

export type PageScript = { url: string; below: readonly string[] };

export const DocumentReactContext = createContext<DocumentContext | null>(null);

export function useDocumentContext(): DocumentContext {
  const facts = useContext(DocumentReactContext);
  if (!facts) throw new Error("a page is rendered outside entry.server.tsx");
  return facts;
}

/** The addresses of the small scripts that a page needs. */
export function scriptsFor(pathname: string, { scripts }: Pick<DocumentContext, "scripts">): string[] {
  const needed = scripts.filter(({ below }) => below.some((start) => pathname.startsWith(start)));
  return needed.map(({ url }) => url);
}

const FACTS_ID = "page-facts";

/** Takes the facts along to the browser, so that a page that hydrates is the same there. Not the nonce: it is a secret. */
export function DocumentContextData(): React.ReactNode {
  const facts = { ...useDocumentContext(), nonce: "" };
  const json = JSON.stringify(facts).replaceAll("<", "\\u003c");
  // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON in which no tag can end.
  return <script type="application/json" id={FACTS_ID} dangerouslySetInnerHTML={{ __html: json }} />;
}

/** The facts that came with the page; null where there are none. */
export function readDocumentContext(page: Document): DocumentContext | null {
  const text = page.getElementById(FACTS_ID)?.textContent;
  return text ? JSON.parse(text) : null;
}
