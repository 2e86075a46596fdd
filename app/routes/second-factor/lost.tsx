import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { requestFactorReset } from "#app/domain/factor-reset/lost.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orUnavailable } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { actionHeaders, redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { secondFactorProblems } from "#app/ui/factor-errors.ts";
import { HelpOffer } from "#app/ui/help-offer.tsx";
import { LinkWindowTexts } from "#app/ui/link-window-texts.tsx";
import { Page, type PageHead } from "#app/ui/page.tsx";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { Reference } from "#app/ui/support-details.tsx";
import { usePage } from "#app/ui/use-page.ts";
import {
  type LostPageProps,
  type LostStatusPageProps,
  loadLostPage,
  loadLostStatusPage,
  loadUnavailableLostPage,
  lostStatusUrl,
} from "./lost.server.ts";
import { requireOpenRequest } from "./second-factor.server.ts";
import { methodHref } from "./step-page.tsx";

const lostForm = defineForm({ login_challenge: text(), mfa_token: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  const query = new URL(request.url).searchParams;
  if (query.has("status")) return respondWith(loadLostStatusPage(context, request));
  return respondWith(loadLostPage(context, request, { challenge: query.get("login_challenge") ?? "" }));
}

/** Requests a link that removes all second factors, during a sign-in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const posted = await readForm(request, lostForm);
  return orUnavailable(context, request, {
    work: () => handleForm(context, request, posted),
    fallback: () => respondWith(loadUnavailableLostPage(context, request, posted), OVERLOAD_HEADERS),
  });
}

async function handleForm(context: LoadContext, request: Request, posted: z.output<(typeof lostForm)["schema"]>) {
  const { _xsrf, login_challenge: challenge, mfa_token: mfaToken } = posted;
  const showAgain = () => respondWith(loadLostPage(context, request, { challenge, error: "xsrf" }));

  await requireOpenRequest(context, challenge);
  if (!(await isOwnLoginForm(context, _xsrf))) return showAgain();
  const pageLanguage = await context.language();
  const outcome = await requestFactorReset(context, { ...requestMetadata(context), mfaToken, pageLanguage });
  if (outcome.kind === "unauthorized") return showAgain();
  if (outcome.kind !== "asked") return redirect303(lostStatusUrl(outcome.kind, challenge));
  return redirect303(lostStatusUrl("success", challenge));
}

export const headers = actionHeaders;

export default function MfaLost() {
  const page = usePage<typeof loader, typeof action>();
  return "status" in page.state ? <LostStatusPage {...page} /> : <LostPage {...page} />;
}

/** Offers a link by mail to a user who has entered the password and lost the second factor. */
export function LostPage({ state, client, name, delayHours, ...page }: LostPageProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("mfaReset.lost.heading")}
      lead={name ? <Emphasis text={t("mfaLogin.signingInAs", { name })} part={name} /> : null}
      before={error ? <ErrorSummary code={error} problems={secondFactorProblems(t, state, {})} /> : null}
      tone={error ? "error" : "normal"}
      client={client}
    >
      {page.recoveryCodesLeft > 0 ? (
        <p>
          {t("mfaReset.lost.recovery")} <a href={methodHref(state, "recovery")}>{t("recovery.use")}</a>
        </p>
      ) : null}
      <p>{t("mfaReset.lost.description", { count: delayHours })}</p>
      <LinkWindowTexts {...page.window} />
      <form className="actions" method="post" action="/mfa/lost">
        <PendingInputs {...state} />
        <Submit>{t("mfaReset.lost.submit")}</Submit>
      </form>
      <a className="line-link" href={methodHref(state)}>
        {t("mfaReset.lost.back")}
      </a>
      {page.offersHelp ? <HelpOffer /> : null}
    </Page>
  );
}

/** The page with a `status`: whether a link was sent, and the remaining sign-in methods. */
export function LostStatusPage(page: LostStatusPageProps): ReactNode {
  const { t } = useTranslation();
  const head = headOf(t, page);
  return (
    <Page {...head}>
      {page.window ? <LinkWindowTexts {...page.window} /> : null}
      <NextSteps {...page} />
      {head.tone === "error" ? <Reference /> : null}
    </Page>
  );
}

function headOf(t: TFunction, { state, window }: LostStatusPageProps): PageHead {
  switch (state.status) {
    case "success":
      return {
        title: t("mfaReset.lost.success.heading"),
        lead: window ? t("mfaReset.lost.success.description") : t("mfaReset.lost.success.seeMail"),
      };
    case "refused":
      return {
        title: t("mfaReset.lost.refused.heading"),
        lead: t("mfaReset.lost.refused.description"),
        code: "refused",
        tone: "error",
      };
    case "too-many":
      return {
        title: t("mfaReset.lost.tooMany.heading"),
        lead: t("mfaReset.lost.tooMany.description"),
        code: "too-many",
        tone: "error",
      };
    default:
      return {
        title: t("mfaReset.status.technical.heading"),
        lead: t("mfaReset.lost.technical.description"),
        code: "error",
        tone: "error",
      };
  }
}

/** Links to the recovery code form and to the sign-in. */
function NextSteps({ state, loginChallenge, appUrl }: LostStatusPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      {loginChallenge === "" ? (
        <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>
      ) : (
        <div className="actions">
          {state.status === "success" ? null : (
            <ButtonLink href={methodHref({ loginChallenge }, "recovery")}>{t("recovery.use")}</ButtonLink>
          )}
          <ButtonLink href={methodHref({ loginChallenge })} quiet>
            {t("mfaReset.lost.back")}
          </ButtonLink>
        </div>
      )}
    </>
  );
}
