import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import { removeOwnTotp } from "#app/domain/totp/own-totp.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings, type Settings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { describeRemoval, redirectNotAllowed, settingsState } from "#app/routes/settings/page-data.server.ts";
import { type FactorRemoval, RemovalNotice } from "#app/routes/settings/second-factors.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import type { RefusableState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";

const PATH = "/manage/mfa/totp/remove";
const FACTORS_PATH = "/manage/mfa";

const removalForm = defineForm({});

export async function loader({ context, request }: LoaderFunctionArgs) {
  return respondWith(loadPage(context, request, await requireFreshSettings(context, request)));
}

/** Removes the authenticator app. A duplicate submission finds no app and redirects to the second factors. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const { _xsrf } = await readForm(request, removalForm);
  if (!isOwnSettingsForm(context, settings.access, _xsrf)) {
    return respondWith(loadPage(context, request, settings, "xsrf"));
  }
  const outcome = await removeOwnTotp(context, settings.access, requestMetadata(context));
  switch (outcome.kind) {
    case "done":
      return redirect303(`${FACTORS_PATH}?status=totp-removed`);
    case "totp not found":
      return redirect303(FACTORS_PATH);
    default:
      return redirectNotAllowed(outcome, PATH);
  }
}

type RemoveTotpPage = PageView<RefusableState, { removal: FactorRemoval }>;

/** @throws a redirect to the second factors when the user has no authenticator app */
async function loadPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  error?: "xsrf",
): Promise<RemoveTotpPage> {
  const { totp } = await findFactors(context.store, settings.access.userId);
  if (!totp) throw redirect303(FACTORS_PATH);
  const state = { ...(await settingsState(context, settings)), ...(error ? { error } : {}) };
  const { t } = await settingsTexts(context, request);
  const title = pageTitle(t, t("manageTotp.remove.title"), error !== undefined);
  return { status: htmlStatus(error), title, state, removal: await describeRemoval(context, settings, "totp") };
}

/** The page at /manage/mfa/totp/remove, with the form that removes the authenticator app. */
export default function RemoveTotp() {
  const { t } = useTranslation();
  const page: RemoveTotpPage = useDocumentState(usePage<typeof loader, typeof action>());
  const { error, xsrf_token } = page.state;
  return (
    <SettingsPage
      title={t("manageTotp.remove.heading")}
      lead={`${t("manageTotp.remove.description")} ${t("manageFactor.others")}`}
      parent="/manage/mfa"
      before={<ExpiredFormSummary code={error} />}
      tone={error ? "error" : "attention"}
    >
      <RemovalNotice {...page.removal} />
      <SettingsForm className="flow" action={PATH} hiddenFields={{ _xsrf: xsrf_token }}>
        <div className="actions">
          <Submit danger>{t("manageTotp.remove.submit")}</Submit>
          <ButtonLink href={FACTORS_PATH} quiet>
            {t("manageTotp.remove.keep")}
          </ButtonLink>
        </div>
      </SettingsForm>
    </SettingsPage>
  );
}
