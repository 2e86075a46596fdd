import type { TFunction } from "i18next";
import type { FirstKeyNames } from "#app/domain/webauthn/key-name.ts";

/** What keys are called at first, in the language of these texts. */
export function firstKeyNames(t: TFunction): FirstKeyNames {
  return { key: t("mfaLogin.firstKeyName.key"), phone: t("mfaLogin.firstKeyName.phone") };
}
