import { mfaLogin, passwordMeter, passwordRules, passwordTips, recovery, webauthn } from "#locales/de/login.json";

const { fido2, totp, error, lost, lostHint } = mfaLogin;

/** Of the texts of the login area, those of parts that pages of the settings have too: the rest stays on the server. */
export const sharedTexts = {
  mfaLogin: { fido2, totp, error, lost, lostHint },
  passwordMeter,
  passwordRules,
  passwordTips,
  recovery,
  webauthn,
};
