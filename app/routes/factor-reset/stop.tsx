import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findWaitingReset, stopFactorReset } from "#app/domain/factor-reset/stop.server.ts";
import { factorResetStopCookie } from "#app/http/cookies.server.ts";
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
import { LinkWindowTexts } from "#app/ui/link-window-texts.tsx";
import { Page } from "#app/ui/page.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { Reference } from "#app/ui/support-details.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import {
  loadStopForm,
  loadStopStatus,
  type StopFormProps,
  type StopStatusProps,
  stopStatusUrl,
} from "./factor-reset.server.ts";

const stopForm = defineForm({ stop_token: text() });

/** Shows the form of a mailed link, which stops the reset; or the result. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (new URL(request.url).searchParams.has("status")) return respondWith(loadStopStatus(context, request));
  const stopToken = await readMailedToken(context, request, {
    parameter: "stop_token",
    cookie: factorResetStopCookie,
    urlOf: async (token) => ((await findWaitingReset(context, token)) ? "/mfa-reset/stop" : null),
    invalidUrl: stopStatusUrl("error-token"),
  });
  return respondWith(loadStopForm(context, request, { stopToken }));
}

/** Stops the pending reset: its link stops working. */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, stop_token: stopToken } = await readForm(request, stopForm);
  if (!(await isOwnLoginForm(context, _xsrf))) {
    return respondWith(loadStopForm(context, request, { stopToken, error: "xsrf" }));
  }
  const { address, userAgent, requestId } = context;
  const outcome = await stopFactorReset(context, { stopToken, address, userAgent, requestId });
  if (outcome.kind !== "stopped") return redirect303(stopStatusUrl(outcome.kind));
  return redirect303(stopStatusUrl("success"), { "Set-Cookie": factorResetStopCookie.clear(context.config) });
}

export default function FactorResetStop() {
  const page = usePage<typeof loader, typeof action>();
  return "status" in page.state ? <StopStatus {...page} /> : <StopForm {...page} />;
}

/** Asks the user of a mail to confirm that the pending reset is stopped. */
export function StopForm({ state, username, window, appUrl }: StopFormProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("mfaReset.stop.heading")}
      lead={t("mfaReset.stop.description")}
      before={<ExpiredFormSummary code={error} />}
      tone={error ? "error" : "attention"}
    >
      <p>
        <Emphasis text={t("passwordReset.form.forAccount", { username })} part={username} />
      </p>
      <p>{t("mfaReset.stop.window")}</p>
      <LinkWindowTexts {...window} />
      <form className="actions" method="post" action="/mfa-reset/stop">
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="stop_token" value={state.stop_token} />
        <Submit>{t("mfaReset.stop.submit")}</Submit>
        <ButtonLink href={appUrl} quiet>
          {t("common.toApp")}
        </ButtonLink>
      </form>
    </Page>
  );
}

/** The page with a `status`: whether the reset was stopped. */
export function StopStatus({ state, appUrl }: StopStatusProps): ReactNode {
  const { t } = useTranslation();
  if (state.status === "success") {
    return (
      <Page title={t("mfaReset.stop.success.heading")} lead={t("mfaReset.stop.success.description")}>
        <ButtonLink href="/password-reset/request-form">{t("mfaReset.stop.success.action")}</ButtonLink>
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
      title={isInvalid ? t("mfaReset.stop.errorToken.heading") : t("mfaReset.status.technical.heading")}
      lead={isInvalid ? t("mfaReset.stop.errorToken.description") : t("mfaReset.stop.technical.description")}
      code={isInvalid ? "error-token" : "error"}
      tone="error"
    >
      {isInvalid ? <CookieNote /> : null}
      <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      <Reference />
    </Page>
  );
}
