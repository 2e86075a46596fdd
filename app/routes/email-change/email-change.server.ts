import { findEmailChange, findEmailUndo } from "#app/domain/profile/link.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { type PageView, readStatus, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import type { EmailChangeState, EmailUndoState, StatusState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import { EMAIL_TEXTS, type EmailPage } from "./texts.ts";

/** Returns the URL of the page that shows the result. */
export function emailStatusUrl(page: EmailPage, status: "success" | "taken" | "error-token" | "no-link"): string {
  return `/email-change/${page}?status=${status}`;
}

/** The user whose address is changed, and the address after the change. */
type FormProps<State> = { state: State; username: string; email: string; appUrl: string };

export type ConfirmFormProps = FormProps<EmailChangeState>;

type FormError = { error?: "xsrf" | undefined };

/**
 * Loads the form that confirms a new address.
 * @throws a redirect to the status page if the link is invalid, or not opened in this browser
 */
export async function loadConfirmForm(
  context: LoadContext,
  request: Request,
  { changeToken, error }: FormError & { changeToken: string },
): Promise<PageView<EmailChangeState, ConfirmFormProps>> {
  if (changeToken === "") throw redirect303(emailStatusUrl("confirm", "no-link"));
  const change = await findEmailChange(context, changeToken);
  if (!change) throw redirect303(emailStatusUrl("confirm", "error-token"));
  const state = { ...(await formState(context, error)), change_token: changeToken };
  const { user, to: email } = change;
  return { ...(await formPage(context, request, { page: "confirm", error })), state, username: user.username, email };
}

export type UndoFormProps = FormProps<EmailUndoState>;

/** Loads the form that restores the old address; throws like `loadConfirmForm`. */
export async function loadUndoForm(
  context: LoadContext,
  request: Request,
  { undoToken, error }: FormError & { undoToken: string },
): Promise<PageView<EmailUndoState, UndoFormProps>> {
  if (undoToken === "") throw redirect303(emailStatusUrl("undo", "no-link"));
  const undo = await findEmailUndo(context, undoToken);
  if (!undo) throw redirect303(emailStatusUrl("undo", "error-token"));
  const state = { ...(await formState(context, error)), undo_token: undoToken };
  const { user, email } = undo;
  return { ...(await formPage(context, request, { page: "undo", error })), state, username: user.username, email };
}

async function formState(context: LoadContext, error: FormError["error"]) {
  const xsrf_token = await issueFormToken(context);
  return { ...(error ? { error } : {}), xsrf_token };
}

async function formPage(context: LoadContext, request: Request, { page, error }: FormError & { page: EmailPage }) {
  const t = await textsOf(context, request);
  const title = pageTitle(t, t(EMAIL_TEXTS[page].heading), error !== undefined);
  return { status: htmlStatus(error), title, appUrl: context.config.appUrl };
}

export type EmailStatusProps = {
  /** `success`, `taken`, `error-token` or `no-link`; any other status is a technical error. */
  state: StatusState;
  appUrl: string;
};

/** Loads the page that shows the result. */
export async function loadEmailStatus(
  context: LoadContext,
  request: Request,
  page: EmailPage,
): Promise<PageView<StatusState, EmailStatusProps>> {
  const { state, status } = readStatus(request);
  const t = await textsOf(context, request);
  const title = pageTitle(t, t(headingOf(page, state)), state.status !== "success");
  return { status, title, state, appUrl: context.config.appUrl };
}

/** Returns the text key of the heading. */
function headingOf(page: EmailPage, { status }: StatusState) {
  switch (status) {
    case "success":
      return EMAIL_TEXTS[page].success;
    case "taken":
      return "emailChange.confirm.taken.heading";
    case "error-token":
      return EMAIL_TEXTS[page].invalid;
    case "no-link":
      return "passwordReset.status.noLink.title";
    default:
      return "emailChange.technical.heading";
  }
}
