import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { acknowledgePasswordReset } from "#app/domain/password-reset/notice.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { continueAfterNotice } from "#app/oidc/interaction-result.server.ts";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import { KeepNameForm } from "#app/ui/keep-name-button.tsx";
import { Page } from "#app/ui/page.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { SupportContact } from "#app/ui/support-contact.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import {
  loadPasswordNotice,
  type PasswordNoticePageProps,
  requireNoticeRequest,
} from "./password-notice-page.server.ts";

const noticeForm = defineForm({ login_challenge: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  return respondWith(loadPasswordNotice(context, request, { challenge }));
}

/** Records that the user has seen the notice, and continues the sign-in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, login_challenge: challenge } = await readForm(request, noticeForm);
  const { interaction, client } = await requireNoticeRequest(context, challenge);
  if (!(await isOwnForm(context, _xsrf))) {
    return respondWith(loadPasswordNotice(context, request, { challenge, error: "xsrf" }));
  }
  const { address, userAgent, requestId } = context;
  const session = await context.session();
  const subject = await findSubjectOfSession(context, session);
  const metadata = { address, userAgent, requestId, clientId: client.id };
  if (subject) await acknowledgePasswordReset(context, subject, metadata);
  return redirect303(await continueAfterNotice(context, interaction, session));
}

export default function PasswordNotice() {
  return <PasswordNoticePage {...usePage<typeof loader, typeof action>()} />;
}

/** Informs a user who signed in with a provider that a mailed link has set the password. */
function PasswordNoticePage({ state, client, username, when, supportContact }: PasswordNoticePageProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("passwordNotice.heading")}
      lead={t("passwordNotice.description", { when })}
      before={<ExpiredFormSummary code={error} />}
      tone={error ? "error" : "attention"}
      client={client}
    >
      <div className="pair">
        <p>{t("passwordNotice.notYours")}</p>
        <KeepNameForm to="reset" challenge={state.login_challenge} username={username} xsrf={state.xsrf_token}>
          {t("passwordNotice.change")}
        </KeepNameForm>
        {supportContact ? (
          <p>
            {t("passwordNotice.contact")} <SupportContact text={supportContact} />
          </p>
        ) : (
          <p>{t("passwordNotice.contactNone")}</p>
        )}
      </div>
      <p>{t("passwordNotice.yours")}</p>
      <form className="actions" method="post" action="/login/password-notice">
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="login_challenge" value={state.login_challenge} />
        <Submit>{t("passwordNotice.submit")}</Submit>
      </form>
    </Page>
  );
}
