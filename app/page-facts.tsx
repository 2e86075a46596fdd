import { createContext, useContext } from "react";
import type { LegalLinks } from "#app/components/footer.tsx";

/** What the document around a page is made of. It comes from entry.server.tsx, because after an error no loader has run. */
export type PageFacts = {
  title: string;
  /** Stands in `data-state` on the root element. */
  state: object;
  /** What stands in the field of the sign-in form, for the link to the other language. */
  username: string | null;
  area: "login" | "manage";
  legal: LegalLinks;
  appUrl: string;
  /** This page's own address, where asking for it again may help; null after a form. */
  retryUrl: string | null;
  /** The reference that an error page shows. */
  requestId: string;
  nonce: string;
  scriptUrls: readonly string[];
};

export const PageFactsContext = createContext<PageFacts | null>(null);

export function usePageFacts(): PageFacts {
  const facts = useContext(PageFactsContext);
  if (!facts) throw new Error("a page is rendered outside entry.server.tsx");
  return facts;
}
