import type { TFunction } from "i18next";
import { isProvider, PROVIDER_NAMES } from "#app/config/providers.ts";
import type { Overview } from "#app/domain/account/overview.server.ts";
import { findReauthenticationName } from "#app/domain/account/reauthenticate.server.ts";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { listOwnKeys } from "#app/domain/webauthn/own-keys.server.ts";
import { findPageAbove } from "#app/http/administration.server.ts";
import { defineForm, required } from "#app/http/define-form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import { confirmUrl, type Settings } from "#app/http/settings-session.server.ts";
import type { ParentPath } from "#app/routes/settings/page.tsx";
import { requireOverview, settingsState } from "#app/routes/settings/page-data.server.ts";
import type { SettingsFormState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export const confirmForm = defineForm({ password: required("No password given") });

export type ConfirmPage = PageView<
  SettingsFormState,
  {
    /** The heading of the page that requires the confirmation. */
    heading: string;
    /** A form of that page was sent, changed nothing, and has to be sent again. */
    isUnsaved: boolean;
    /** Parent page of that page. */
    parent: ParentPath;
    /** URL to which "Cancel" leads. */
    cancelUrl: string;
    /** URL of this page, to which its form is posted. */
    url: string;
    /** URL of a sign-in that redirects to the page. */
    signInUrl: string;
    /** The user whose password is asked for; null if only a new sign-in is accepted. */
    username: string | null;
    /** With `throttled`: minutes until the next attempt, rounded up. */
    waitMinutes?: number | undefined;
  }
>;

/** Loads the page that precedes the settings page `to`, with the error of a rejected form. */
export async function loadConfirmPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { to, error, waitMinutes }: { to: string; error?: ErrorCode | undefined; waitMinutes?: number | undefined },
): Promise<ConfirmPage> {
  const { accounts } = await requireOverview(context, settings);
  const { t } = await settingsTexts(context, request);
  const parent = to.startsWith("/manage/mfa/") ? "/manage/mfa" : "/manage";
  const isUnsaved = new URL(request.url).searchParams.has("unsaved");
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t("manageConfirm.title"), error !== undefined),
    state: { ...(await settingsState(context, settings)), ...(error ? { error } : {}) },
    heading: (await isPasskeyPage(context, settings, to)) ? t("managePasskey.one.title") : headingOf(t, to, accounts),
    parent,
    cancelUrl: (await findPageAbove(context, settings, to)) ?? parent,
    isUnsaved,
    url: confirmUrl(to, { isUnsaved }),
    signInUrl: `/manage/open?${new URLSearchParams({ to })}`,
    username: await findReauthenticationName(context, settings.access),
    waitMinutes,
  };
}

/** Returns true for a page of one of the user's passkeys; security keys have pages of the same path. */
async function isPasskeyPage(context: LoadContext, { access }: Settings, path: string): Promise<boolean> {
  const id = /^\/manage\/mfa\/keys\/([\w-]+)/.exec(path)?.[1];
  if (id === undefined) return false;
  return (await listOwnKeys(context, access)).some((key) => key.id === id && key.passkey !== null);
}

/** Returns the heading of a settings page that requires a recent proof of identity, and a general one for any other. */
function headingOf(t: TFunction, path: string, accounts: Overview["accounts"]): string {
  const [, , area = "", page = "", action = ""] = path.split("/");
  if (area === "oauth" && isProvider(page)) {
    const heading = accounts[page] ? "manage.providers.confirm.heading" : "manage.providers.connect";
    return t(heading, { provider: PROVIDER_NAMES[page] });
  }
  switch (`${area}/${page}`) {
    case "credentials/password":
      return t("managePassword.heading");
    case "credentials/username":
      return t("manageUsername.heading");
    case "profile/name":
      return t("manageProfile.editName.title");
    case "profile/phone":
      return t("manageProfile.editPhone.title");
    case "profile/email":
      return t("manageProfile.editEmail.title");
    case "mfa/register-totp":
      return t("manageTotp.heading");
    case "mfa/register-fido2":
      return t("manageFido2.heading");
    case "mfa/register-passkey":
      return t("managePasskey.title");
    case "mfa/recovery-codes":
      return t("manageCodes.heading");
    case "mfa/totp":
      return action === "remove" ? t("manageTotp.remove.heading") : t("manageConfirm.heading");
    case "mfa/keys":
      return t("manageKey.title");
    default:
      return t("manageConfirm.heading");
  }
}
