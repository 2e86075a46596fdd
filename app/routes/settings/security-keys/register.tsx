import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import { findRelyingParty } from "#app/domain/webauthn/relying-party.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { respondWith } from "#app/http/reply.server.ts";
import { requireFreshSettings, type Settings } from "#app/http/settings-session.server.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { settingsState } from "#app/routes/settings/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { factorTexts, keyTexts } from "#app/ui/factor-texts.ts";
import { KeyForm } from "#app/ui/key-form.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

const PATH = "/manage/mfa/register-fido2";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  return respondWith(loadPage(context, request, settings));
}

async function loadPage(context: LoadContext, request: Request, settings: Settings) {
  const { totp } = await findFactors(context.store, settings.access.userId);
  const { t } = await settingsTexts(context, request);
  return {
    status: 200,
    title: pageTitle(t, t("manageFido2.title")),
    state: await settingsState(context, settings),
    hasTotp: totp,
    // The origin of the issuer cannot have security keys when its host is an IP address.
    supportsKeys: findRelyingParty(context.config.issuer) !== null,
  };
}

/**
 * The page at /manage/mfa/register-fido2. The client script registers the security key through the JSON calls and opens
 * the overview, which asks for the name of the key.
 */
export default function RegisterSecurityKey() {
  const { t } = useTranslation();
  const { state, hasTotp, supportsKeys } = useDocumentState(useLoaderData<typeof loader>());
  return (
    <SettingsPage title={t("manageFido2.heading")} parent="/manage/mfa">
      {supportsKeys ? (
        <RegistrationForm xsrf={state.xsrf_token} hasTotp={hasTotp} />
      ) : (
        <NotSupported hasTotp={hasTotp} />
      )}
    </SettingsPage>
  );
}

function RegistrationForm({ xsrf, hasTotp }: { xsrf: string; hasTotp: boolean }): ReactNode {
  const { t } = useTranslation();
  const texts = {
    ...keyTexts(t),
    success: t("manageFido2.success"),
    InvalidStateError: t("webauthn.error.invalidState"),
    taken: t("webauthn.error.invalidState"),
    expired: t("manageFido2.expired"),
    reauthentication_required: t("manageFido2.confirm"),
  };
  return (
    <div className="flow">
      <KeyForm
        action={PATH}
        purpose="settings"
        texts={factorTexts(t, { restartHref: PATH, restart: t("manageFido2.restart"), texts })}
        hidden={<XsrfInput token={xsrf} />}
        alternatives={<TotpLink hasTotp={hasTotp} />}
        cancel={
          <ButtonLink href="/manage" quiet>
            {t("manageFido2.abort")}
          </ButtonLink>
        }
      />
    </div>
  );
}

function NotSupported({ hasTotp }: { hasTotp: boolean }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="flow">
      <Notice kind="attention">
        <p>{t("webauthn.error.security")}</p>
      </Notice>
      <div className="actions">
        <TotpLink hasTotp={hasTotp} />
        <ButtonLink href="/manage" quiet>
          {t("manageFido2.abort")}
        </ButtonLink>
      </div>
    </div>
  );
}

/** Link to the set-up of an authenticator app, the alternative to a security key; nothing when the user has an app. */
function TotpLink({ hasTotp }: { hasTotp: boolean }): ReactNode {
  const { t } = useTranslation();
  return hasTotp ? null : <ButtonLink href="/manage/mfa/register-totp">{t("manageMfa.totp.add")}</ButtonLink>;
}
