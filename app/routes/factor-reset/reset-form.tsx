import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type FoundReset, findFactorReset } from "#app/domain/factor-reset/link.server.ts";
import { factorResetCookie } from "#app/http/cookies.server.ts";
import { readMailedToken } from "#app/http/mailed-link.server.ts";
import { respondWith } from "#app/http/reply.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import { LinkWindowTexts } from "#app/ui/link-window-texts.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { Page } from "#app/ui/page.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { loadResetForm, type ResetFormProps, resetStatusUrl } from "./factor-reset.server.ts";

/** Shows the form of a mailed link, which removes all second factors. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const resetToken = await readMailedToken(context, request, {
    parameter: "reset_token",
    cookie: factorResetCookie,
    urlOf: async (token) => urlOf(await findFactorReset(context, token)),
    invalidUrl: resetStatusUrl("error-token"),
  });
  return respondWith(loadResetForm(context, request, { resetToken }));
}

function urlOf({ kind }: FoundReset): string | null {
  if (kind === "error-token") return null;
  // The token of a link that does not work yet is stored too: its status page shows when the link works.
  return kind === "too-early" ? resetStatusUrl(kind) : "/mfa-reset/reset-form";
}

export default function FactorResetForm() {
  return <ResetForm {...useLoaderData<typeof loader>()} />;
}

/** Asks the user of a link to confirm the removal of all second factors. */
export function ResetForm({ state, username, appUrl, ...page }: ResetFormProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("mfaReset.form.heading")}
      lead={t("mfaReset.form.description")}
      before={<ExpiredFormSummary code={error} />}
      tone={error ? "error" : "attention"}
    >
      <p>
        <Emphasis text={t("passwordReset.form.forAccount", { username })} part={username} />
      </p>
      <p>{page.needsSetUp ? t("mfaReset.form.setUp") : t("mfaReset.form.setUpLater")}</p>
      <p>{t("mfaReset.window.once")}</p>
      <LinkWindowTexts {...page.window} />
      <Notice kind="attention">
        <p>{t("mfaReset.form.warning")}</p>
      </Notice>
      <form className="actions" method="post" action="/mfa-reset/reset">
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="reset_token" value={state.reset_token} />
        <Submit danger>{t("mfaReset.form.submit")}</Submit>
        <ButtonLink href={appUrl} quiet>
          {t("mfaReset.form.keep")}
        </ButtonLink>
      </form>
    </Page>
  );
}
