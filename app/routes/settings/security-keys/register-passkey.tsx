import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useTranslation } from "react-i18next";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import { findRelyingParty } from "#app/domain/webauthn/relying-party.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { respondWith } from "#app/http/reply.server.ts";
import { requireFreshSettings, type Settings } from "#app/http/settings-session.server.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { settingsState } from "#app/routes/settings/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { PasskeyForm, passkeyTexts } from "#app/ui/passkey-form.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

const PATH = "/manage/mfa/register-passkey";
const FACTORS_PATH = "/manage/mfa";

/** @throws 404 if PASSKEYS is off */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (!context.config.passkeys) throw refusal(404, "page_not_found");
  const settings = await requireFreshSettings(context, request);
  return respondWith(loadPage(context, request, settings));
}

async function loadPage(context: LoadContext, request: Request, settings: Settings) {
  const { totp } = await findFactors(context.store, settings.access.userId);
  const { t } = await settingsTexts(context, request);
  return {
    status: 200,
    title: pageTitle(t, t("managePasskey.title")),
    state: await settingsState(context, settings),
    hasTotp: totp,
    // The origin of the issuer cannot have passkeys when its host is an IP address.
    supportsKeys: findRelyingParty(context.config.issuer) !== null,
  };
}

/**
 * The page at /manage/mfa/register-passkey. The client script registers the passkey through the JSON calls when the user
 * presses the button, and opens the overview, which asks for a name.
 */
export default function RegisterPasskey() {
  const { t } = useTranslation();
  const { state, hasTotp, supportsKeys } = useDocumentState(useLoaderData<typeof loader>());
  const texts = passkeyTexts(t, {
    restartHref: PATH,
    restart: t("manageFido2.restart"),
    success: t("managePasskey.success"),
    expired: t("manageFido2.expired"),
    confirm: t("manageFido2.confirm"),
  });
  const fallback = (
    <>
      <Notice kind="info">
        <p>{t(supportsKeys ? "managePasskey.noScript" : "webauthn.passkey.security")}</p>
      </Notice>
      {hasTotp ? null : <ButtonLink href="/manage/mfa/register-totp">{t("manageMfa.totp.add")}</ButtonLink>}
    </>
  );
  const cancel = (
    <ButtonLink href={FACTORS_PATH} quiet>
      {t("manageFido2.abort")}
    </ButtonLink>
  );
  return (
    <SettingsPage title={t("managePasskey.title")} lead={t("managePasskey.lead")} parent="/manage/mfa">
      <div className="flow">
        {supportsKeys ? (
          <PasskeyForm
            action={PATH}
            purpose="passkey"
            texts={texts}
            hidden={<XsrfInput token={state.xsrf_token} />}
            fallback={fallback}
            later={cancel}
          />
        ) : (
          <>
            {fallback}
            {cancel}
          </>
        )}
        <p className="note">{t("webauthn.passkey.shared")}</p>
      </div>
    </SettingsPage>
  );
}
