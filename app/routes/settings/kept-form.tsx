import { type ClientActionFunctionArgs, isRouteErrorResponse } from "@remix-run/react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { referenceOf } from "#app/ui/refusal-data.ts";
import { type Unavailable, useUnavailable } from "#app/ui/use-page.ts";

/**
 * The `clientAction` of a page with typed fields: if the server or its database is not available, the page keeps what
 * was typed, under an alert. Any other error replaces the page.
 */
export async function keepForm({ serverAction }: ClientActionFunctionArgs): Promise<unknown> {
  try {
    return await serverAction();
  } catch (error) {
    const unavailable = unavailableOf(error);
    if (!unavailable) throw error;
    return Response.json({ unavailable }, { status: 503 });
  }
}

function unavailableOf(error: unknown): Unavailable | null {
  if (isRouteErrorResponse(error)) return error.status === 503 ? { code: 503, reference: referenceOf(error) } : null;
  // Without a response, fetch rejects with a TypeError.
  return error instanceof TypeError ? { code: 0, reference: null } : null;
}

/**
 * Takes the data of a page with typed fields; returns the data to show, and the key with which its form starts anew after
 * each response. While the server is not available, the form stays, and an earlier error disappears. Sets the document's
 * title and state.
 */
export function useFormPage<Page extends FormPage>(page: Page): { page: Page; formKey: number } {
  const { t } = useTranslation();
  const unavailable = useUnavailable();
  const [kept, keep] = useState({ page, formKey: 0 });
  const isNew = unavailable === null && page !== kept.page;
  // The key of the location would change too late: after the header has been loaded again.
  const shown = isNew ? { page, formKey: kept.formKey + 1 } : kept;
  if (isNew) keep(shown);
  const prefix = t("common.errorTitlePrefix");
  const current = unavailable ? unavailablePage(shown.page, unavailable, prefix) : shown.page;
  return { page: useDocumentState(current), formKey: shown.formKey };
}

type FormPage = { title: string; state: { error?: unknown } };

function unavailablePage<Page extends FormPage>(page: Page, server_error: Unavailable, prefix: string): Page {
  const { title, state } = page;
  return { ...page, title: `${prefix} ${title}`, state: { ...state, error: undefined, server_error } };
}
