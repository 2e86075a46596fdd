import { RemixBrowser } from "@remix-run/react";
import { startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { I18nextProvider } from "react-i18next";
import { createClientInstance } from "#app/i18n/client.ts";
import { type DocumentContext, DocumentReactContext, readDocumentContext } from "#app/ui/document-context.tsx";
import { loadClientScript } from "#app/ui/page-changes.tsx";

/** Entry of the settings pages. If a page cannot hydrate, it stays as rendered and works with the client script alone. */
async function hydrate(context: DocumentContext): Promise<void> {
  const i18n = await createClientInstance(document.documentElement.lang, context.product);
  if (!i18n) return loadClientScript(context.scriptUrl);
  await decodeLoaderData();
  startTransition(() => {
    hydrateRoot(
      document,
      <I18nextProvider i18n={i18n}>
        <DocumentReactContext.Provider value={context}>
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

const context = readDocumentContext(document);
if (context) void hydrate(context).catch(() => loadClientScript(context.scriptUrl));
