import { mfaLogin, passwordMeter, passwordRules, passwordTips, recovery, webauthn } from "#locales/de/login.json";

/** Of the texts of the login area, those of parts that pages of the settings have too: the rest stays on the server. */
export const sharedTexts = { mfaLogin, passwordMeter, passwordRules, passwordTips, recovery, webauthn };
