import type { EntryContext } from "@remix-run/node";
import { isRouteErrorResponse } from "@remix-run/react";
import type { TFunction } from "i18next";
import { serverErrorTitle } from "#app/ui/error-page.tsx";
import type { ServerErrorState } from "#app/ui/page-state.ts";
import { isForeignOrigin } from "#app/ui/refusal-data.ts";

type DocumentHead = { title: string; state: object; username: string | null };

/**
 * Returns title and state of the page from its action data, else its loader data; after an error, of the error page.
 */
export function documentHead({ staticHandlerContext }: EntryContext, t: TFunction, requestId: string): DocumentHead {
  const { errors, actionData, loaderData, matches } = staticHandlerContext;
  if (errors) return errorPage(Object.values(errors)[0], t, requestId);
  const id = matches.at(-1)?.route.id ?? "";
  const found = [actionData?.[id], loaderData[id]].find(hasHead);
  if (!found) return { title: t("common.productName"), state: {}, username: null };
  const { title, state } = found;
  return { title, state, username: typedName(found) };
}

function errorPage(error: unknown, t: TFunction, reference: string): DocumentHead {
  const code = isRouteErrorResponse(error) ? error.status : 500;
  const state: ServerErrorState = { server_error: { code, reference } };
  return { title: serverErrorTitle(t, state, isForeignOrigin(error)), state, username: null };
}

/** State keys of pages with a user name that the user did not type; it must not appear in a URL. */
const STATE_KEYS_WITH_NAME = ["login_hint", "reset_token", "stop_token", "not_me_token"];

/** Returns the user name typed into the form, or null. */
function typedName(data: PageData): string | null {
  if (STATE_KEYS_WITH_NAME.some((key) => key in data.state) || !("username" in data)) return null;
  return typeof data.username === "string" && data.username !== "" ? data.username : null;
}

type PageData = { title: string; state: object };

function hasHead(data: unknown): data is PageData {
  return typeof data === "object" && data !== null && "title" in data && "state" in data;
}
