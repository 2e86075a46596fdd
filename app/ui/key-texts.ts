import type { TFunction } from "i18next";

/** What the script says about a security key, also by the names of the browser's errors. */
export function keyTexts(t: TFunction): Record<string, string> {
  return {
    waiting: t("mfaLogin.fido2.waiting"),
    verifying: t("manageFido2.verifying"),
    retry: t("common.retry"),
    network: t("mfaLogin.error.network"),
    NotAllowedError: t("webauthn.error.notAllowed"),
    NotSupportedError: t("webauthn.error.notSupported"),
    SecurityError: t("webauthn.error.security"),
    AbortError: t("webauthn.error.abort"),
    unavailable: t("webauthn.error.security"),
    verification: t("webauthn.error.verification"),
    generic: t("webauthn.error.generic"),
  };
}
