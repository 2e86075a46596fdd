import type { TFunction } from "i18next";
import type { HelpRefusal } from "#app/domain/help-link/give.server.ts";

/** The changes that help can open. */
export type HelpKind = "new-device" | "new-password";

/** `until`: when help of this kind is possible again, as a text; null if time does not change it. */
type RefusalTexts = { refusal: HelpRefusal["kind"]; kind: HelpKind; name: string; until: string | null };

/** Returns why a person cannot get help of a kind. */
export function refusalText(t: TFunction, { refusal, kind, name, until }: RefusalTexts): string {
  switch (refusal) {
    case "blocked":
      return t("adminHelp.refused.blocked", { name });
    case "other kind":
      return kind === "new-device"
        ? t("adminHelp.refused.hadPassword", { name, until })
        : t("adminHelp.refused.hadDevice", { name, until });
    case "no password":
      return t("adminHelp.refused.noPassword", { name });
    case "no factor":
      return t("adminHelp.refused.noFactor", { name });
    case "no code":
      return t("adminHelp.refused.noCode", { name });
  }
}
