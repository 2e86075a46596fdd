import type { EntryContext } from "@remix-run/node";
import { isRouteErrorResponse } from "@remix-run/react";
import type { TFunction } from "i18next";
import { serverErrorTitle } from "#app/ui/error-page.tsx";
import type { ServerErrorState } from "#app/ui/page-state.ts";
import { isForeignOrigin } from "#app/ui/refusal-data.ts";

type Shown = { title: string; state: object; username: string | null };

/**
 * Title and state of the page that is being rendered: of what its action answered, else of what its loader did. After
 * an error, the error page's.
 */
export function pageOf({ staticHandlerContext }: EntryContext, t: TFunction, requestId: string): Shown {
  const { errors, actionData, loaderData, matches } = staticHandlerContext;
  if (errors) return errorPage(Object.values(errors)[0], t, requestId);
  const id = matches.at(-1)?.route.id ?? "";
  const found = [actionData?.[id], loaderData[id]].find(isShown);
  if (!found) return { title: t("common.productName"), state: {}, username: null };
  const { title, state } = found;
  return { title, state, username: typedName(found) };
}

function errorPage(error: unknown, t: TFunction, reference: string): Shown {
  const code = isRouteErrorResponse(error) ? error.status : 500;
  const state: ServerErrorState = { server_error: { code, reference } };
  return { title: serverErrorTitle(t, state, isForeignOrigin(error)), state, username: null };
}

/** States of pages that name somebody whose name nobody typed: it has no place in an address. */
const NAMED = ["login_hint", "reset_token", "stop_token"];

/** The user name in the form. */
function typedName(data: Data): string | null {
  if (NAMED.some((part) => part in data.state) || !("username" in data)) return null;
  return typeof data.username === "string" && data.username !== "" ? data.username : null;
}

type Data = { title: string; state: object };

function isShown(data: unknown): data is Data {
  return typeof data === "object" && data !== null && "title" in data && "state" in data;
}
