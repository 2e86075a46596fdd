import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { findFactors } from "#app/domain/second-factor/factors.server.ts";
import { listOwnKeys, renameOwnKey } from "#app/domain/settings/security-keys.server.ts";
import { MAX_KEY_NAME_LENGTH } from "#app/domain/webauthn/key-name.ts";
import { findRelyingParty } from "#app/domain/webauthn/relying-party.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireFreshSettings, type Settings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { redirectNotAllowed, settingsState } from "#app/routes/settings/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import { factorTexts, keyTexts } from "#app/ui/factor-texts.ts";
import { KeyForm } from "#app/ui/key-form.tsx";
import { KeyNameField } from "#app/ui/key-name-field.tsx";
import { Notice } from "#app/ui/notice.tsx";
import type { SettingsFormState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

const PATH = "/manage/mfa/register-fido2";

const FACTORS_PATH = "/manage/mfa";

const nameForm = defineForm({ key: text(), name: z.string().trim().max(MAX_KEY_NAME_LENGTH).default("") });

/** With the query parameter `key`, the id of a registered key, the page asks for the name of this key. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const id = new URL(request.url).searchParams.get("key");
  return respondWith(loadPage(context, request, settings, { id }));
}

/** Names a key that was just registered; an empty name keeps the default name. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const { _xsrf, key: id, name } = await readForm(request, nameForm);
  if (!isOwnSettingsForm(context, settings.access, _xsrf)) {
    return respondWith(loadPage(context, request, settings, { id, error: "xsrf" }));
  }
  // Redirects to the second factors if there is no such key.
  await requireKey(context, settings, id);
  const outcome = name === "" ? null : await renameOwnKey(context, settings.access, { id, name });
  if (outcome?.kind === "unauthorized") return redirectNotAllowed(outcome, PATH);
  return redirect303(outcome?.kind === "security key not found" ? FACTORS_PATH : "/manage?status=mfa-success");
}

/** @throws a redirect to the second factors when the user has no key of this id */
async function loadPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { id, error }: { id: string | null; error?: "xsrf" },
) {
  const { totp } = await findFactors(context.store, settings.access.userId);
  const key = id === null ? null : await requireKey(context, settings, id);
  const { t } = await settingsTexts(context, request);
  const state: SettingsFormState = { ...(await settingsState(context, settings)), ...(error ? { error } : {}) };
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t(key ? "manageFido2.naming.title" : "manageFido2.title"), error !== undefined),
    state,
    key,
    hasTotp: totp,
    // The origin of the issuer cannot have security keys when its host is an IP address.
    supportsKeys: findRelyingParty(context.config.issuer) !== null,
  };
}

async function requireKey(context: LoadContext, { access }: Settings, id: string) {
  const key = (await listOwnKeys(context, access)).find((candidate) => candidate.id === id);
  if (!key) throw redirect303(FACTORS_PATH);
  return { id: key.id, name: key.name };
}

/**
 * The page at /manage/mfa/register-fido2. The client script registers the security key through the JSON calls and opens
 * the page again, which then asks for the name of the key.
 */
export default function RegisterSecurityKey() {
  const { t } = useTranslation();
  const loaded = useLoaderData<typeof loader>();
  const page = useDocumentState(useActionData<typeof action>() ?? loaded);
  if (!page) return null;
  const { state, key, hasTotp, supportsKeys } = page;
  if (key) return <NamingPage state={state} securityKey={key} />;
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

type NamingPageProps = { state: SettingsFormState; securityKey: { id: string; name: string } };

function NamingPage({ state, securityKey: { id, name } }: NamingPageProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <SettingsPage
      title={t("manageFido2.naming.heading")}
      lead={t("manageFido2.naming.lead")}
      before={<ExpiredFormSummary code={error} />}
      tone={error ? "error" : "normal"}
    >
      <SettingsForm className="flow" action={PATH} hiddenFields={{ _xsrf: state.xsrf_token, key: id }}>
        <KeyNameField defaultName={name} />
        <div className="actions">
          <Submit>{t("manageFido2.naming.submit")}</Submit>
        </div>
      </SettingsForm>
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
