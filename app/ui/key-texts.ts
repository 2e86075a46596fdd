import type { TFunction } from "i18next";

/** Returns the texts of the security-key script, including one per `DOMException` name. */
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
