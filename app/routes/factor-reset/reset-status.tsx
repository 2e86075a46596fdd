import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findFactorReset } from "#app/domain/factor-reset/link.server.ts";
import { factorResetCookie } from "#app/http/cookies.server.ts";
import { windowTexts } from "#app/http/link-window.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { exactTimesOf, readStatus, textsOf } from "#app/http/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { CookieNote } from "#app/ui/cookie-note.tsx";
import { LinkNotOpened } from "#app/ui/link-not-opened.tsx";
import { LinkWindowTexts } from "#app/ui/link-window-texts.tsx";
import { Page, type PageHead } from "#app/ui/page.tsx";
import type { StatusState } from "#app/ui/page-state.ts";
import { Reference } from "#app/ui/support-details.tsx";
import { pageTitle } from "#app/ui/title.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { state, status } = readStatus(request);
  const title = resetStatusTitle(await textsOf(context, request), state);
  const { appUrl, mfaPolicy } = context.config;
  // The parameter is not trusted: it only selects one of two texts.
  const needsSetUp = mfaPolicy === "required" || new URL(request.url).searchParams.get("next") === "set-up";
  const window = state.status === "too-early" ? await findWindow(context, request) : null;
  return data({ status, title, state, needsSetUp, window, appUrl }, status);
}

/** Returns the period in which the link of this browser's cookie works; null without a link that does not work yet. */
async function findWindow(context: LoadContext, request: Request) {
  const token = factorResetCookie.read(context.config, request.headers.get("cookie"));
  const found = await findFactorReset(context, token);
  return found.kind === "too-early" ? windowTexts(found.window, await exactTimesOf(context, request)) : null;
}

export function resetStatusTitle(t: TFunction, { status }: StatusState): string {
  switch (status) {
    case "success":
      return pageTitle(t, t("mfaReset.status.success.title"));
    case "error-token":
      return pageTitle(t, t("mfaReset.status.errorToken.title"), true);
    case "no-link":
      return pageTitle(t, t("passwordReset.status.noLink.title"), true);
    case "too-early":
      return pageTitle(t, t("mfaReset.status.tooEarly.title"), true);
    default:
      return pageTitle(t, t("mfaReset.status.technical.title"), true);
  }
}

export default function FactorResetStatus() {
  return <ResetStatus {...useLoaderData<typeof loader>()} />;
}

type ResetStatusProps = {
  /** `success`, `error-token`, `no-link` or `too-early`; any other status is a technical error. */
  state: StatusState;
  /** For `success`: the next sign-in requires a second factor, and therefore the set-up of a new one. */
  needsSetUp: boolean;
  /** For `too-early`: the period in which the link works; null if the link is unknown. */
  window: { from: string | null; until: string } | null;
  appUrl: string;
};

/** Shows the result of the removal of the factors. */
export function ResetStatus({ appUrl, ...result }: ResetStatusProps): ReactNode {
  const { t } = useTranslation();
  const toApp = <ButtonLink href={appUrl}>{t("common.toApp")}</ButtonLink>;
  if (result.state.status === "no-link") return <LinkNotOpened>{toApp}</LinkNotOpened>;
  const head = headOf(t, result);
  return (
    <Page {...head}>
      {head.code === "error-token" ? <CookieNote /> : null}
      {result.window ? <LinkWindowTexts {...result.window} /> : null}
      {toApp}
      {head.tone === "error" ? <Reference /> : null}
    </Page>
  );
}

function headOf(t: TFunction, { state, needsSetUp, window }: Omit<ResetStatusProps, "appUrl">): PageHead {
  switch (state.status) {
    case "success":
      return {
        title: t("mfaReset.status.success.heading"),
        lead: needsSetUp ? t("mfaReset.status.success.setUp") : t("mfaReset.status.success.setUpLater"),
      };
    case "error-token":
      return {
        title: t("mfaReset.status.errorToken.heading"),
        lead: t("mfaReset.status.errorToken.description"),
        code: "error-token",
        tone: "error",
      };
    case "too-early":
      return {
        title: t("mfaReset.status.tooEarly.heading"),
        lead: window ? t("mfaReset.window.once") : t("mfaReset.status.tooEarly.seeMail"),
        code: "too-early",
        tone: "attention",
      };
    default:
      return {
        title: t("mfaReset.status.technical.heading"),
        lead: t("mfaReset.status.technical.description"),
        code: "error",
        tone: "error",
      };
  }
}
