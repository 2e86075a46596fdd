import type { EntryContext } from "@remix-run/node";
import { isRouteErrorResponse } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { Layout } from "#app/ui/document-context.tsx";
import { serverErrorTitle } from "#app/ui/error-page.tsx";
import type { LanguageForm } from "#app/ui/language-link.tsx";
import type { ServerErrorState } from "#app/ui/page-state.ts";
import { isForeignOrigin } from "#app/ui/refusal-data.ts";

type DocumentHead = { title: string; state: object; languageForm: LanguageForm | null; layout: Layout };

/**
 * Returns title, state, form and layout of the page from its action data, else its loader data; after an error, of the error page.
 */
export function documentHead(
  { staticHandlerContext }: EntryContext,
  { area, t, requestId }: { area: "login" | "manage"; t: TFunction; requestId: string },
): DocumentHead {
  const { errors, actionData, loaderData, matches } = staticHandlerContext;
  const layoutOfArea: Layout = area === "manage" ? "settings" : "counter";
  if (errors) return { ...errorPage(Object.values(errors)[0], t, requestId), layout: layoutOfArea };
  const id = matches.at(-1)?.route.id ?? "";
  const found = [actionData?.[id], loaderData[id]].find(hasHead);
  if (!found) return { title: t("common.productName"), state: {}, languageForm: null, layout: layoutOfArea };
  const { title, state, languageForm = null, layout = layoutOfArea } = found;
  return { title, state, languageForm, layout };
}

function errorPage(error: unknown, t: TFunction, reference: string): Omit<DocumentHead, "layout"> {
  const code = isRouteErrorResponse(error) ? error.status : 500;
  const state: ServerErrorState = { server_error: { code, reference } };
  return { title: serverErrorTitle(t, state, isForeignOrigin(error)), state, languageForm: null };
}

type PageData = { title: string; state: object; languageForm?: LanguageForm | null; layout?: Layout };

function hasHead(data: unknown): data is PageData {
  return typeof data === "object" && data !== null && "title" in data && "state" in data;
}
