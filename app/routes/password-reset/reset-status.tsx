import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { readStatus, textsOf } from "#app/http/page-data.server.ts";
import { challengeOf } from "#app/http/sign-in-request.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CookieNote } from "#app/ui/cookie-note.tsx";
import { LinkNotOpened } from "#app/ui/link-not-opened.tsx";
import { Page } from "#app/ui/page.tsx";
import type { StatusState } from "#app/ui/page-state.ts";
import { signInHref, withChallenge } from "#app/ui/sign-in-request.ts";
import { Reference } from "#app/ui/support-details.tsx";
import { pageTitle } from "#app/ui/title.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { state, status } = readStatus(request);
  const { searchParams } = new URL(request.url);
  const isFirst = searchParams.has("first");
  const title = resetStatusTitle(await textsOf(context, request), state, isFirst);
  const challenge = await challengeOf(context, request);
  return data({ status, title, state, isFirst, challenge, appUrl: context.config.appUrl }, status);
}

export function resetStatusTitle(t: TFunction, { status }: StatusState, isFirst = false): string {
  switch (status) {
    case "success":
      return pageTitle(t, t(isFirst ? "passwordReset.first.done.title" : "passwordReset.status.success.title"));
    case "error-token":
      return pageTitle(t, t("passwordReset.status.errorToken.title"), true);
    case "no-link":
      return pageTitle(t, t("passwordReset.status.noLink.title"), true);
    default:
      return pageTitle(t, t("passwordReset.status.technical.title"), true);
  }
}

export default function PasswordResetStatus() {
  return <ResetStatus {...useLoaderData<typeof loader>()} />;
}

type ResetStatusProps = {
  /** `success`, `error-token` or `no-link`; any other status is a technical error. */
  state: StatusState;
  /** With `success`: the user had no password before, as after an invitation. */
  isFirst?: boolean | undefined;
  /** The challenge of the sign-in that the user came from; "" when no sign-in is known. */
  challenge: string;
  appUrl: string;
};

const TECHNICAL = {
  code: "error",
  heading: "passwordReset.status.technical.heading",
  description: "passwordReset.status.technical.description",
} as const;

const INVALID = {
  code: "error-token",
  heading: "passwordReset.status.errorToken.heading",
  description: "passwordReset.status.errorToken.description",
} as const;

/** Shows the result of the password change. */
export function ResetStatus({ state, isFirst = false, challenge, appUrl }: ResetStatusProps): ReactNode {
  const { t } = useTranslation();
  if (state.status === "success") {
    return (
      <Page
        title={t(isFirst ? "passwordReset.first.done.heading" : "passwordReset.status.success.heading")}
        lead={t(isFirst ? "passwordReset.first.done.description" : "passwordReset.status.success.description")}
      >
        <div className="actions">
          {challenge ? <ButtonLink href={signInHref(challenge)}>{t("passwordReset.request.back")}</ButtonLink> : null}
          <ButtonLink href={appUrl} quiet={challenge !== ""}>
            {t("passwordReset.status.success.action")}
          </ButtonLink>
        </div>
      </Page>
    );
  }
  const failure = state.status === INVALID.code ? INVALID : TECHNICAL;
  const isNotOpened = state.status === "no-link";
  const actions = (
    <>
      <div className="actions">
        <ButtonLink href={withChallenge("/password-reset/request-form", challenge)}>
          {t("passwordReset.status.errorToken.action")}
        </ButtonLink>
        {(isNotOpened || failure === INVALID) && !challenge ? (
          <ButtonLink href={appUrl} quiet>
            {t("common.toApp")}
          </ButtonLink>
        ) : null}
      </div>
      {challenge ? (
        <a className="line-link" href={signInHref(challenge)}>
          {t("passwordReset.request.back")}
        </a>
      ) : null}
    </>
  );
  if (isNotOpened) {
    return <LinkNotOpened description={t("passwordReset.status.noLink.description")}>{actions}</LinkNotOpened>;
  }
  return (
    <Page title={t(failure.heading)} lead={t(failure.description)} code={failure.code} tone="error">
      {failure === INVALID && <CookieNote />}
      {actions}
      <Reference />
    </Page>
  );
}
