import type { TFunction } from "i18next";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { CODE_FIELD } from "./code-field.tsx";
import type { Problem } from "./error-summary.tsx";
import { type AcceptedCredentials, keyText } from "./factor-texts.ts";

/** Reason why a code was refused; `used`: the code was accepted before. */
type CodeRefusal = "missing" | "malformed" | "wrong" | "used";

export type CodeKind = "totp" | "recovery";

export type RefusalDetails = AcceptedCredentials & {
  /** For "invalid verification code". */
  refusal?: CodeRefusal | undefined;
  /** For a wrong code: offset of the device's clock in seconds; positive if it is ahead. */
  clockOffSeconds?: number | null | undefined;
  /** For "throttled": minutes to wait, rounded up. */
  waitMinutes?: number | undefined;
  /** Kind of the page's code field; null on a page without one. */
  code?: CodeKind | null | undefined;
};

/** Returns the error texts for a refusal in the second-factor step, with the field that each one belongs to. */
export function secondFactorProblems(
  t: TFunction,
  { error }: { error?: ErrorCode | undefined },
  { refusal = "wrong", clockOffSeconds, waitMinutes = 1, code = null, ...accepted }: RefusalDetails,
): Problem[] {
  switch (error) {
    case undefined:
      return [];
    case "unauthorized":
    case "challenge":
      return [{ text: t("mfaLogin.error.expired") }];
    case "invalid verification code": {
      const isClock = refusal === "wrong" && code !== "recovery" && clockOffSeconds;
      const text = isClock ? clockText(t, clockOffSeconds) : t(CODE_TEXTS[code ?? "totp"][refusal]);
      return [{ text, field: code ? CODE_FIELD : undefined }];
    }
    case "security key not found":
      return [{ text: keyText(t, "unknownKey", accepted) }];
    case "security key refused":
      return [{ text: keyText(t, "verification", accepted) }];
    case "factor already registered":
    case "totp already registered":
      return [{ text: t("mfaLogin.setup.done") }];
    case "totp not found":
      return [{ text: t("mfaLogin.error.setUpExpired") }];
    case "throttled":
      return [{ text: t("mfaLogin.error.rateLimited", { count: waitMinutes }) }];
    case "overloaded":
      return [{ text: t("serverError.overload.description") }];
    default:
      return [{ text: t(code ? "mfaLogin.error.formExpired" : "common.formExpired") }];
  }
}

/** Text keys of refused codes, by kind of code. */
export const CODE_TEXTS = {
  totp: {
    missing: "mfaLogin.error.codeMissing",
    malformed: "mfaLogin.error.codeFormat",
    wrong: "mfaLogin.error.codeInvalid",
    used: "mfaLogin.error.codeUsed",
  },
  recovery: {
    missing: "recovery.error.missing",
    malformed: "recovery.error.format",
    wrong: "recovery.error.invalid",
    used: "recovery.error.invalid",
  },
} as const satisfies Record<CodeKind, Record<CodeRefusal, string>>;

function clockText(t: TFunction, clockOffSeconds: number): string {
  const key = clockOffSeconds > 0 ? "mfaLogin.error.clockAhead" : "mfaLogin.error.clockBehind";
  return t(key, { count: Math.abs(clockOffSeconds) });
}
