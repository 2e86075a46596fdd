import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findEmailUndo } from "#app/domain/profile/link.server.ts";
import { undoEmailChange } from "#app/domain/profile/undo-email.server.ts";
import { emailUndoCookie } from "#app/http/cookies.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { readMailedToken } from "#app/http/mailed-link.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import { Page } from "#app/ui/page.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import {
  type EmailStatusProps,
  emailStatusUrl,
  loadEmailStatus,
  loadUndoForm,
  type UndoFormProps,
} from "./email-change.server.ts";
import { EmailNotChanged } from "./failed.tsx";

const PATH = "/email-change/undo";

const undoForm = defineForm({ undo_token: text() });

/** Shows the form of the link in the notice to the old address; or the result. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (new URL(request.url).searchParams.has("status")) return respondWith(loadEmailStatus(context, request, "undo"));
  const undoToken = await readMailedToken(context, request, {
    parameter: "undo_token",
    cookie: emailUndoCookie,
    urlOf: async (token) => ((await findEmailUndo(context, token)) ? PATH : null),
    invalidUrl: emailStatusUrl("undo", "error-token"),
  });
  return respondWith(loadUndoForm(context, request, { undoToken }));
}

/** Restores the old address, ends all access, and mails a link to a new password. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, undo_token: undoToken } = await readForm(request, undoForm);
  if (!(await isOwnLoginForm(context, _xsrf))) {
    return respondWith(loadUndoForm(context, request, { undoToken, error: "xsrf" }));
  }
  const { address, userAgent, requestId } = context;
  const pageLanguage = await context.language();
  const outcome = await undoEmailChange(context, { undoToken, pageLanguage, address, userAgent, requestId });
  if (outcome.kind === "error-token") return redirect303(emailStatusUrl("undo", "error-token"));
  return redirect303(emailStatusUrl("undo", "success"), { "Set-Cookie": emailUndoCookie.clear(context.config) });
}

export default function UndoEmail() {
  const page = usePage<typeof loader, typeof action>();
  return "status" in page.state ? <UndoStatus {...page} /> : <UndoForm {...page} />;
}

/** Explains to the user of a notice what the form does, and asks. */
function UndoForm({ state, username, email, appUrl }: UndoFormProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("emailChange.undo.heading")}
      lead={<Emphasis text={t("emailChange.undo.description", { email })} part={email} />}
      before={<ExpiredFormSummary code={error} />}
      tone={error ? "error" : "attention"}
    >
      <p>
        <Emphasis text={t("passwordReset.form.forAccount", { username })} part={username} />
      </p>
      <form className="actions" method="post" action={PATH}>
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="undo_token" value={state.undo_token} />
        <Submit>{t("emailChange.undo.submit")}</Submit>
        <ButtonLink href={appUrl} quiet>
          {t("common.toApp")}
        </ButtonLink>
      </form>
    </Page>
  );
}

/** The page with a `status`: the result. */
function UndoStatus(props: EmailStatusProps): ReactNode {
  const { t } = useTranslation();
  if (props.state.status !== "success") return <EmailNotChanged {...props} page="undo" />;
  return (
    <Page title={t("emailChange.undo.success.heading")} lead={t("emailChange.undo.success.description")}>
      <ButtonLink href="/password-reset/request-form" quiet>
        {t("notMe.success.action")}
      </ButtonLink>
    </Page>
  );
}
