import type { TFunction } from "i18next";
import { CODE_FIELD } from "./code-field.tsx";
import type { Problem } from "./error-summary.tsx";
import type { SecondFactorState } from "./page-state.ts";

/** Why a typed code was refused: none was typed, it has the wrong form, it is not the right one, it was good before. */
export type CodeRefusal = "missing" | "malformed" | "wrong" | "used";

export type CodeKind = "totp" | "recovery";

export type RefusalDetails = {
  /** With "invalid verification code". */
  refusal?: CodeRefusal | undefined;
  /** With a wrong code: how far the clock of the app is off, in seconds; more than zero where it is fast. */
  clockOffSeconds?: number | null | undefined;
  /** With "throttled": how long to wait, rounded up. */
  waitMinutes?: number | undefined;
  /** What the code field of the page asks for; null on a page without one. */
  code?: CodeKind | null | undefined;
};

/** What a page of the second-factor step says about a refusal, and at which field. */
export function secondFactorProblems(
  t: TFunction,
  { error }: Pick<SecondFactorState, "error">,
  { refusal = "wrong", clockOffSeconds, waitMinutes = 1, code = null }: RefusalDetails,
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
      return [{ text: t("webauthn.error.unknownKey") }];
    case "security key refused":
      return [{ text: t("webauthn.error.verification") }];
    case "factor already registered":
    case "totp already registered":
      return [{ text: t("mfaLogin.setup.done") }];
    case "totp not found":
      return [{ text: t("mfaLogin.error.setUpExpired") }];
    case "throttled":
      return [{ text: t("mfaLogin.error.rateLimited", { count: waitMinutes }) }];
    case "xsrf":
      return [{ text: t(code ? "mfaLogin.error.formExpired" : "common.formExpired") }];
  }
}

/** The text of each refusal, by the kind of code that was asked for. */
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
