import { RemixBrowser } from "@remix-run/react";
import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { I18nextProvider } from "react-i18next";
import { PAGE_EVENT, PAGE_SHOWN } from "#app/client/attributes.ts";
import { createClientInstance } from "#app/i18n/client.ts";
import { DocumentReactContext, readDocumentContext } from "#app/ui/document-context.tsx";

/** Entry of the settings pages. If a page cannot hydrate, it stays as rendered and works without React. */
async function hydrate(): Promise<void> {
  const documentContext = readDocumentContext(document);
  const i18n = documentContext && (await createClientInstance(document.documentElement.lang, documentContext.product));
  if (!i18n) return announcePage();
  await decodeLoaderData();
  startTransition(() => {
    hydrateRoot(
      document,
      <I18nextProvider i18n={i18n}>
        <DocumentReactContext.Provider value={documentContext}>
          <RemixBrowser />
        </DocumentReactContext.Provider>
      </I18nextProvider>,
    );
  });
}

/**
 * Decodes the loader data before hydration. During the first render, Remix suspends on the decoding; input at that
 * moment would make React discard the server-rendered page.
 */
async function decodeLoaderData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (pending) {
    await pending;
  }
}

/** Starts the client scripts, as PageChanges does after hydration. */
function announcePage(): void {
  document.documentElement.setAttribute(PAGE_SHOWN, "");
  dispatchEvent(new Event(PAGE_EVENT));
}

void hydrate().catch(announcePage);
