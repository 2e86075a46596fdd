import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { KEY_NAME_ID, SCRIPT_ONLY } from "#app/client/attributes.ts";
import { Field } from "./field.tsx";

/** Name of a new key. It has no `name` attribute: the script sends the value with the credential. */
export function KeyNameField(): ReactNode {
  const { t } = useTranslation();
  return (
    <div hidden {...{ [SCRIPT_ONLY]: "" }}>
      <Field
        id={KEY_NAME_ID}
        label={t("manageFido2.name.label")}
        hint={t("manageFido2.name.hint")}
        input={{ type: "text", autoCapitalize: "sentences", enterKeyHint: "go", maxLength: 64 }}
      />
    </div>
  );
}
