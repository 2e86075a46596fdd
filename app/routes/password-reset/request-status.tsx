import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { RESET_LINK_MINUTES } from "#app/domain/password-reset/link.server.ts";
import { readStatus, textsOf } from "#app/http/page-data.server.ts";
import { challengeOf } from "#app/http/sign-in-request.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Page } from "#app/ui/page.tsx";
import type { StatusState } from "#app/ui/page-state.ts";
import { signInHref, withChallenge } from "#app/ui/sign-in-request.ts";
import { Reference } from "#app/ui/support-details.tsx";
import { pageTitle } from "#app/ui/title.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { state, status } = readStatus(request);
  const title = requestStatusTitle(await textsOf(context, request), state);
  const challenge = await challengeOf(context, request);
  const { appUrl } = context.config;
  return data({ status, title, state, minutes: RESET_LINK_MINUTES, challenge, appUrl }, status);
}

export function requestStatusTitle(t: TFunction, { status }: StatusState): string {
  return status === "success"
    ? pageTitle(t, t("passwordReset.requestStatus.success.title"))
    : pageTitle(t, t("passwordReset.requestStatus.error.title"), true);
}

export default function PasswordResetRequestStatus() {
  return <RequestStatus {...useLoaderData<typeof loader>()} />;
}

type RequestStatusProps = {
  /** `success`; any other status is a technical error. */
  state: StatusState;
  /** Lifetime of a link. */
  minutes: number;
  /** The challenge of the sign-in that the user came from; "" when no sign-in is known. */
  challenge: string;
  appUrl: string;
};

/** Shows the same text for existing and unknown user names. */
export function RequestStatus({ state, minutes, challenge, appUrl }: RequestStatusProps): ReactNode {
  const { t } = useTranslation();
  const requestForm = withChallenge("/password-reset/request-form", challenge);
  const back = (
    <a className="line-link" href={challenge ? signInHref(challenge) : appUrl}>
      {t("passwordReset.request.back")}
    </a>
  );
  if (state.status !== "success") {
    return (
      <Page
        title={t("passwordReset.requestStatus.error.heading")}
        lead={t("passwordReset.requestStatus.error.description")}
        code="error"
        tone="error"
      >
        <ButtonLink href={requestForm}>{t("common.retry")}</ButtonLink>
        {back}
        <Reference />
      </Page>
    );
  }
  return (
    <Page
      title={t("passwordReset.requestStatus.success.heading")}
      lead={t("passwordReset.requestStatus.success.description", { minutes })}
    >
      <section className="flow flow-close" aria-labelledby="reasons">
        <h2 id="reasons">{t("passwordReset.requestStatus.success.reasonsHeading")}</h2>
        <ul className="listed">
          <li>{t("passwordReset.requestStatus.success.reasonUsername")}</li>
          <li>{t("passwordReset.requestStatus.success.reasonSpam")}</li>
          <li>{t("passwordReset.requestStatus.success.reasonBlocked")}</li>
          <li>{t("passwordReset.requestStatus.success.reasonMailBlocked")}</li>
        </ul>
      </section>
      <ButtonLink href={requestForm} quiet>
        {t("passwordReset.requestStatus.success.again")}
      </ButtonLink>
      {back}
    </Page>
  );
}
