import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { rejectRequest } from "#app/oidc/interaction-result.server.ts";
import { NO_ACCESS_DESCRIPTION } from "#app/oidc/no-access.ts";
import { AccountRow } from "#app/ui/account-row.tsx";
import { useDocumentContext } from "#app/ui/document-context.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import { Page } from "#app/ui/page.tsx";
import { otherAccountHref } from "#app/ui/sign-in-request.ts";
import { Submit } from "#app/ui/submit.tsx";
import { ContactLine } from "#app/ui/support-contact.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import {
  loadNoAccess,
  type NoAccessPageProps,
  requireRefusedRequest,
  requireRefusedUser,
} from "./no-access-page.server.ts";

const noAccessForm = defineForm({ login_challenge: text(), answer: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  return respondWith(loadNoAccess(context, request, { challenge }));
}

/** The answer: `other` continues with another account, any other value returns to the application without access. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, login_challenge: challenge, answer } = await readForm(request, noAccessForm);
  const open = await requireRefusedRequest(context, challenge);
  if (!(await isOwnForm(context, _xsrf))) {
    return respondWith(loadNoAccess(context, request, { challenge, error: "xsrf" }));
  }
  if (answer === "other") return redirect303(otherAccountHref(challenge));
  // A user who got access since continues to the application.
  if (open.resumeUrl === null) await requireRefusedUser(context, open);
  const error_description = NO_ACCESS_DESCRIPTION;
  return redirect303(await rejectRequest(context, open.interaction, { error: "access_denied", error_description }));
}

export default function NoAccess() {
  return <NoAccessPage {...usePage<typeof loader, typeof action>()} />;
}

/** Names the application that the user may not use, and whom to ask. */
function NoAccessPage({ state, client, user, contact }: NoAccessPageProps): ReactNode {
  const { t } = useTranslation();
  const { hasStartPage } = useDocumentContext();
  const { error } = state;
  const application = client?.name ?? t("common.toApp");
  return (
    <Page
      title={t("noAccess.heading")}
      lead={t("noAccess.description", { client: application })}
      before={<ExpiredFormSummary code={error} />}
      tone={error ? "error" : "attention"}
      client={client}
    >
      <AccountRow name={user.name}>
        <b>{user.name}</b> <small>{user.username}</small>
      </AccountRow>
      <section className="pair" aria-labelledby="ask">
        <h2 id="ask">{t("noAccess.ask")}</h2>
        {contact === null ? (
          <p>{t("noAccess.askNone")}</p>
        ) : (
          <ContactLine text={contact} subject={t("noAccess.subject", { client: application })} />
        )}
      </section>
      <div className="pair">
        <form className="actions" method="post" action="/login/no-access">
          <XsrfInput token={state.xsrf_token} />
          <input type="hidden" name="login_challenge" value={state.login_challenge} />
          <Submit name="answer" value="back">
            {t("noAccess.back")}
          </Submit>
          <Submit name="answer" value="other" quiet>
            {t("noAccess.other")}
          </Submit>
        </form>
        {hasStartPage ? (
          <a className="line-link" href="/">
            {t("common.toStart")}
          </a>
        ) : null}
      </div>
    </Page>
  );
}
