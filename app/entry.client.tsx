import { RemixBrowser } from "@remix-run/react";
import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { I18nextProvider } from "react-i18next";
import { PAGE_EVENT, PAGE_SHOWN } from "#app/client/attributes.ts";
import { createClientInstance } from "#app/i18n/client.ts";
import { DocumentReactContext, readDocumentContext } from "#app/ui/document-context.tsx";

/** Only pages of the settings load this. A page that cannot hydrate stays as it came: it works without, too. */
async function hydrate(): Promise<void> {
  const facts = readDocumentContext(document);
  const i18n = facts && (await createClientInstance(document.documentElement.lang, facts.product));
  if (!i18n) return announcePage();
  await decodeLoaderData();
  startTransition(() => {
    hydrateRoot(
      document,
      <I18nextProvider i18n={i18n}>
        <DocumentReactContext.Provider value={facts}>
          <RemixBrowser />
        </DocumentReactContext.Provider>
      </I18nextProvider>,
    );
  });
}

/**
 * Remix decodes what the loaders gave while it renders for the first time, by throwing the promise of it. What a person types
 * makes React render at once instead, and it gives up a page that waits. So that nobody can type in between, the decoding is
 * done before.
 */
async function decodeLoaderData(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (pending) {
    await pending;
  }
}

/** Lets the small script begin, as the hydrated page would. */
function announcePage(): void {
  document.documentElement.setAttribute(PAGE_SHOWN, "");
  dispatchEvent(new Event(PAGE_EVENT));
}

void hydrate().catch(announcePage);
