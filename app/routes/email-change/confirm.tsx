import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { confirmEmailChange } from "#app/domain/profile/confirm-email.server.ts";
import { findEmailChange } from "#app/domain/profile/link.server.ts";
import { emailChangeCookie } from "#app/http/cookies.server.ts";
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
  type ConfirmFormProps,
  type EmailStatusProps,
  emailStatusUrl,
  loadConfirmForm,
  loadEmailStatus,
} from "./email-change.server.ts";
import { EmailNotChanged } from "./failed.tsx";

const PATH = "/email-change/confirm";

const confirmForm = defineForm({ change_token: text() });

/** Shows the form of the link that was mailed to a new address; or the result. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { searchParams } = new URL(request.url);
  if (searchParams.has("status")) return respondWith(loadEmailStatus(context, request, "confirm"));
  const changeToken = await readMailedToken(context, request, {
    parameter: "change_token",
    cookie: emailChangeCookie,
    urlOf: async (token) => ((await findEmailChange(context, token)) ? PATH : null),
    invalidUrl: emailStatusUrl("confirm", "error-token"),
  });
  return respondWith(loadConfirmForm(context, request, { changeToken }));
}

/** Stores the new address. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, change_token: changeToken } = await readForm(request, confirmForm);
  if (!(await isOwnLoginForm(context, _xsrf))) {
    return respondWith(loadConfirmForm(context, request, { changeToken, error: "xsrf" }));
  }
  const { address, userAgent, requestId } = context;
  const { kind } = await confirmEmailChange(context, { changeToken, address, userAgent, requestId });
  if (kind !== "done") return redirect303(emailStatusUrl("confirm", kind));
  const headers = { "Set-Cookie": emailChangeCookie.clear(context.config) };
  return redirect303(emailStatusUrl("confirm", "success"), headers);
}

export default function ConfirmEmail() {
  const page = usePage<typeof loader, typeof action>();
  return "status" in page.state ? <ConfirmStatus {...page} /> : <ConfirmForm {...page} />;
}

/** Asks the user at the new address to confirm it. */
function ConfirmForm({ state, username, email, appUrl }: ConfirmFormProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("emailChange.confirm.heading")}
      lead={<Emphasis text={t("emailChange.confirm.description", { email })} part={email} />}
      before={<ExpiredFormSummary code={error} />}
      tone={error ? "error" : "normal"}
    >
      <p>
        <Emphasis text={t("passwordReset.form.forAccount", { username })} part={username} />
      </p>
      <form className="actions" method="post" action={PATH}>
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="change_token" value={state.change_token} />
        <Submit>{t("emailChange.confirm.submit")}</Submit>
        <ButtonLink href={appUrl} quiet>
          {t("common.toApp")}
        </ButtonLink>
      </form>
    </Page>
  );
}

/** The page with a `status`: the result. */
function ConfirmStatus(props: EmailStatusProps): ReactNode {
  const { t } = useTranslation();
  if (props.state.status !== "success") return <EmailNotChanged {...props} page="confirm" />;
  return (
    <Page title={t("emailChange.confirm.success.heading")} lead={t("emailChange.confirm.success.description")}>
      <ButtonLink href="/manage/open">{t("emailChange.toSettings")}</ButtonLink>
    </Page>
  );
}
