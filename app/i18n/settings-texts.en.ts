import { common, field, footer } from "#locales/en/common.json";
import { serverError } from "#locales/en/errors.json";
import { mfaLogin, passwordMeter, passwordRules, passwordTips, recovery, webauthn } from "#locales/en/login.json";
import {
  manage,
  manageActivity,
  manageApplications,
  manageCodes,
  manageConfirm,
  manageError,
  manageErrorHelp,
  manageFactor,
  manageFido2,
  manageKey,
  manageMfa,
  manageOpening,
  managePassword,
  manageSessions,
  manageTotp,
  manageUsername,
} from "#locales/en/manage.json";

const { fido2, totp, error } = mfaLogin;
const { prompt, waiting, stop, timeHint_one, timeHint_other } = fido2;
const { offer, create, onlyOnce, print, download, copy, saved, fileName, remaining_one, remaining_other } = recovery;
const { heading, intro, listHeading, none, newest, older, pages, unknown } = manageActivity;

/**
 * The texts that settings pages need in the browser. Names of events and scopes are translated on the server. Imported
 * by name, so that the bundler drops all other texts.
 */
export const settingsTexts = {
  common,
  field,
  footer,
  serverError,
  mfaLogin: {
    fido2: { prompt, waiting, stop, timeHint_one, timeHint_other },
    totp: { checking: totp.checking },
    error,
  },
  passwordMeter,
  passwordRules,
  passwordTips,
  recovery: {
    heading: recovery.heading,
    description: recovery.description,
    ...{ offer, create, onlyOnce, print, download, copy, saved, fileName, remaining_one, remaining_other },
  },
  webauthn,
  manageActivity: { heading, intro, listHeading, none, newest, older, pages, unknown },
  manage,
  manageMfa,
  manageTotp,
  manageFido2,
  manageError,
  manageErrorHelp,
  manageOpening,
  manageConfirm,
  manageFactor,
  manageKey,
  manageCodes,
  managePassword,
  manageUsername,
  manageSessions,
  manageApplications,
};
