import type { TFunction } from "i18next";
import type { DefaultKeyNames } from "#app/domain/webauthn/key-name.ts";

/** Returns the default names of security keys and passkeys, translated. */
export function firstKeyNames(t: TFunction): DefaultKeyNames {
  return {
    key: t("mfaLogin.firstKeyName.key"),
    phone: t("mfaLogin.firstKeyName.phone"),
    passkey: t("mfaLogin.firstKeyName.passkey"),
  };
}
