import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findUserOfNotMeLink } from "#app/domain/mail/not-me-link.server.ts";
import { endAccessByLink } from "#app/domain/not-me/end-access.server.ts";
import { notMeCookie } from "#app/http/cookies.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { readMailedToken } from "#app/http/mailed-link.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CookieNote } from "#app/ui/cookie-note.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import { LinkNotOpened } from "#app/ui/link-not-opened.tsx";
import { Page } from "#app/ui/page.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { Reference } from "#app/ui/support-details.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import {
  loadNotMeForm,
  loadNotMeStatus,
  type NotMeFormProps,
  type NotMeStatusProps,
  notMeStatusUrl,
} from "./not-me.server.ts";

const notMeForm = defineForm({ not_me_token: text() });

/** Shows the form of a mailed link, which ends all access; or the result. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (new URL(request.url).searchParams.has("status")) return respondWith(loadNotMeStatus(context, request));
  const notMeToken = await readMailedToken(context, request, {
    parameter: "not_me_token",
    cookie: notMeCookie,
    urlOf: async (token) => ((await findUserOfNotMeLink(context, token)) ? "/login/not-me" : null),
    invalidUrl: notMeStatusUrl("error-token"),
  });
  return respondWith(loadNotMeForm(context, request, { notMeToken }));
}

/** Ends all access, and mails a link to a new password. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, not_me_token: notMeToken } = await readForm(request, notMeForm);
  if (!(await isOwnLoginForm(context, _xsrf))) {
    return respondWith(loadNotMeForm(context, request, { notMeToken, error: "xsrf" }));
  }
  const { address, userAgent, requestId } = context;
  const pageLanguage = await context.language();
  const outcome = await endAccessByLink(context, { notMeToken, pageLanguage, address, userAgent, requestId });
  if (outcome.kind === "error-token") return redirect303(notMeStatusUrl("error-token"));
  return redirect303(notMeStatusUrl("success"), { "Set-Cookie": notMeCookie.clear(context.config) });
}

export default function NotMe() {
  const page = usePage<typeof loader, typeof action>();
  return "status" in page.state ? <NotMeStatus {...page} /> : <NotMeForm {...page} />;
}

/** Explains what the form does to the user of a notice, and asks. */
export function NotMeForm({ state, username, appUrl }: NotMeFormProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("notMe.heading")}
      lead={t("notMe.description")}
      before={<ExpiredFormSummary code={error} />}
      tone={error ? "error" : "attention"}
    >
      <p>
        <Emphasis text={t("passwordReset.form.forAccount", { username })} part={username} />
      </p>
      <form className="actions" method="post" action="/login/not-me">
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="not_me_token" value={state.not_me_token} />
        <Submit>{t("notMe.submit")}</Submit>
        <ButtonLink href={appUrl} quiet>
          {t("common.toApp")}
        </ButtonLink>
      </form>
    </Page>
  );
}

/** The page with a `status`: the result. */
function NotMeStatus({ state, appUrl }: NotMeStatusProps): ReactNode {
  const { t } = useTranslation();
  if (state.status === "success") {
    return (
      <Page title={t("notMe.success.heading")} lead={t("notMe.success.description")}>
        <ButtonLink href="/password-reset/request-form" quiet>
          {t("notMe.success.action")}
        </ButtonLink>
      </Page>
    );
  }
  if (state.status === "no-link") {
    return (
      <LinkNotOpened>
        <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      </LinkNotOpened>
    );
  }
  const isInvalid = state.status === "error-token";
  return (
    <Page
      title={isInvalid ? t("notMe.errorToken.heading") : t("notMe.technical.heading")}
      lead={isInvalid ? t("notMe.errorToken.description") : t("notMe.technical.description")}
      code={isInvalid ? "error-token" : "error"}
      tone="error"
    >
      {isInvalid ? <CookieNote /> : null}
      <ButtonLink href="/password-reset/request-form">{t("notMe.errorToken.action")}</ButtonLink>
      <Reference />
    </Page>
  );
}
