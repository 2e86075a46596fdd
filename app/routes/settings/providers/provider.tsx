import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { PROVIDER_NAMES, type Provider } from "#app/config/providers.ts";
import { beginConnect } from "#app/domain/external-account/connect.server.ts";
import { disconnectProvider, type RemainingMethod } from "#app/domain/external-account/disconnect.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { requireProvider } from "#app/http/external-sign-in.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { actionHeaders, redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import {
  confirmUrl,
  isOwnSettingsForm,
  lostFormUrl,
  requireFreshSettings,
  type Settings,
} from "#app/http/settings-session.server.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { Alert } from "#app/ui/alert.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import { loadProviderPage, type ProviderPage, type ProviderPageInput } from "./provider.server.ts";

const providerForm = defineForm({ intent: z.enum(["connect", "disconnect"]).default("connect"), confirm: text() });

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  const settings = await requireFreshSettings(context, request);
  return respondWith(loadProviderPage(context, request, settings, { provider }));
}

/** Redirects to the provider to connect an account, or disconnects the account when the user has confirmed it. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  const settings = await requireFreshSettings(context, request);
  const { _xsrf, intent, confirm } = await readForm(request, providerForm);
  const show = (error?: ProviderPageInput["error"]) =>
    respondWith(loadProviderPage(context, request, settings, { provider, ...(error ? { error } : {}) }));
  if (!isOwnSettingsForm(context, settings.access, _xsrf)) return show("xsrf");
  if (intent === "connect") return connect(context, request, settings, provider);
  if (confirm !== "1") return show();
  const outcome = await disconnectProvider(context, settings.access, requestMetadata(context), provider);
  switch (outcome.kind) {
    case "done":
    case "account not connected":
      return redirect303("/manage?status=oauth-disconnect-success");
    case "last sign-in method":
      return show(outcome.kind);
    case "reauthentication_required":
      return redirect303(confirmUrl(pathOf(provider), { isUnsaved: true }));
    case "unauthorized":
      return redirect303(lostFormUrl(pathOf(provider)));
  }
}

/**
 * Responds with a page that redirects to the provider by `Refresh`. The page's CSP (form-action) would block a redirect
 * of the form's response: the hosts through which a provider redirects are not known.
 */
async function connect(context: LoadContext, request: Request, settings: Settings, provider: Provider) {
  const input = { provider, returnTo: null };
  const outcome = await beginConnect(context, settings.access, requestMetadata(context), input);
  switch (outcome.kind) {
    case "away": {
      const { url: authorizationUrl } = outcome;
      const headers = { Refresh: `0; url=${authorizationUrl}` };
      return respondWith(loadProviderPage(context, request, settings, { provider, authorizationUrl }), headers);
    }
    case "reauthentication_required":
      return redirect303(confirmUrl(pathOf(provider), { isUnsaved: true }));
    default:
      return redirect303("/manage?oauth-error=provider+failed");
  }
}

/** Sends the `Refresh` header of the redirect to the provider. */
export const headers = actionHeaders;

/** The page at /manage/oauth/{provider}, with the form that connects or disconnects an account. */
export default function ProviderAccount() {
  const { t } = useTranslation();
  const page: ProviderPage = usePage<typeof loader, typeof action>();
  const { state, provider, isConnected, remainingMethod, authorizationUrl } = page;
  const { error } = state;
  const name = PROVIDER_NAMES[provider];
  if (authorizationUrl !== null) {
    return (
      <SettingsPage title={t("manage.providers.connecting", { provider: name })}>
        <ButtonLink href={authorizationUrl}>{t("common.continue")}</ButtonLink>
      </SettingsPage>
    );
  }
  const texts = isConnected ? TEXTS.disconnect : TEXTS.connect;
  const lead = t(isConnected ? DISCONNECT_LEADS[remainingMethod] : "manage.providers.connectHint", { provider: name });
  const endsOthers = isConnected && remainingMethod !== "none";
  return (
    <SettingsPage
      title={t(texts.heading, { provider: name })}
      // The error has the same text as the lead.
      lead={error === "last sign-in method" ? null : endsOthers ? `${lead} ${t("manageFactor.others")}` : lead}
      parent="/manage"
      before={error ? <ErrorAlert code={error} name={name} /> : null}
      tone={error ? "error" : "normal"}
    >
      {isConnected && remainingMethod === "none" ? (
        <div className="actions">
          <ButtonLink href="/manage/credentials/password">{t("manage.providers.setPassword")}</ButtonLink>
          <CancelLink />
        </div>
      ) : (
        <form className="actions" method="post" action={pathOf(provider)}>
          <XsrfInput token={state.xsrf_token} />
          <input type="hidden" name="intent" value={isConnected ? "disconnect" : "connect"} />
          {isConnected ? <input type="hidden" name="confirm" value="1" /> : null}
          <Submit danger={isConnected} busy={t(texts.busy, { provider: name })}>
            {t(texts.submit, { provider: name })}
          </Submit>
          <CancelLink />
        </form>
      )}
    </SettingsPage>
  );
}

const TEXTS = {
  connect: {
    heading: "manage.providers.connect",
    submit: "manage.providers.connect",
    busy: "manage.providers.connecting",
  },
  disconnect: {
    heading: "manage.providers.confirm.heading",
    submit: "manage.providers.disconnect",
    busy: "manage.providers.disconnecting",
  },
} as const;

/** Text keys of the lead, by the sign-in method that remains after the account is disconnected. */
const DISCONNECT_LEADS = {
  password: "manage.providers.confirm.description",
  "other provider": "manage.providers.confirm.withoutPassword",
  none: "manage.providers.error.last",
} as const satisfies Record<RemainingMethod, string>;

function CancelLink(): ReactNode {
  const { t } = useTranslation();
  return (
    <ButtonLink href="/manage" quiet>
      {t("common.cancel")}
    </ButtonLink>
  );
}

function ErrorAlert({ code, name }: { code: string; name: string }): ReactNode {
  const { t } = useTranslation();
  const text = code === "last sign-in method" ? "manage.providers.error.last" : "common.formExpired";
  return (
    <Alert kind="error" code={code} word={t("common.errorSummaryTitle")}>
      <p>{t(text, { provider: name })}</p>
    </Alert>
  );
}

function pathOf(provider: Provider): string {
  return `/manage/oauth/${provider}`;
}
