import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { MAX_KEY_NAME_LENGTH } from "#app/domain/webauthn/key-name.ts";
import { Field } from "./field.tsx";

type KeyNameFieldProps = { defaultName: string; isPasskey?: boolean };

/** Name of a security key or passkey that was just registered. It may be left as it is. */
export function KeyNameField({ defaultName, isPasskey = false }: KeyNameFieldProps): ReactNode {
  const { t } = useTranslation();
  return (
    <Field
      id="key-name"
      name="name"
      label={t(isPasskey ? "managePasskey.one.name" : "manageKey.name.label")}
      hint={isPasskey ? t("managePasskey.one.hint", { max: MAX_KEY_NAME_LENGTH }) : t("manageFido2.name.hint")}
      input={{
        type: "text",
        defaultValue: defaultName,
        autoCapitalize: "sentences",
        enterKeyHint: "done",
        maxLength: MAX_KEY_NAME_LENGTH,
      }}
    />
  );
}
