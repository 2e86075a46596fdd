import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { MAX_KEY_NAME_LENGTH } from "#app/domain/webauthn/key-name.ts";
import { Field } from "./field.tsx";

/** Name of a security key that was just registered. It may be left as it is. */
export function KeyNameField({ defaultName }: { defaultName: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <Field
      id="key-name"
      name="name"
      label={t("manageKey.name.label")}
      hint={t("manageFido2.name.hint")}
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
