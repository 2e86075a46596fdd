import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Field } from "./field.tsx";

/** Id and name of the field, for both kinds of codes. */
export const CODE_FIELD = "code";

type CodeFieldProps = {
  error?: string | undefined;
  /** "recovery": a recovery code of letters and digits. */
  kind?: "totp" | "recovery";
  hint?: string;
};

/**
 * Input field for a TOTP or recovery code. Rendered without a value. It has no `maxLength`, which would truncate pasted
 * codes that contain spaces, and no `pattern`, because browsers do not validate our forms. After an error it takes the
 * focus.
 */
export function CodeField({ error, kind = "totp", hint }: CodeFieldProps): ReactNode {
  const { t } = useTranslation();
  const isRecovery = kind === "recovery";
  return (
    <Field
      id={CODE_FIELD}
      name={CODE_FIELD}
      label={isRecovery ? t("recovery.code.label") : t("field.code.label")}
      hint={hint ?? t("field.code.hint")}
      error={error}
      input={{
        ...(isRecovery ? RECOVERY_INPUT : TOTP_INPUT),
        className: "input code",
        autoComplete: "one-time-code",
        enterKeyHint: "done",
        required: true,
        ...(error ? { autoFocus: true } : {}),
      }}
    />
  );
}

const TOTP_INPUT = { type: "text", inputMode: "numeric" } as const;

const RECOVERY_INPUT = { type: "text", autoCapitalize: "characters", autoCorrect: "off", spellCheck: false } as const;
