import type { IncomingMessage } from "node:http";
import type { Interaction, KoaContextWithOIDC } from "oidc-provider";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { LANGUAGE_COOKIE, LANGUAGE_PARAMETER } from "#app/i18n/detection.ts";
import { type Language, languageOfLocales } from "#app/i18n/language.ts";
import { NOTICE_PROMPT } from "./policy.server.ts";
import { sealChallenge } from "./seal.server.ts";

/** Path of the notice of a mailed password reset. */
export const NOTICE_PATH = "/login/password-notice";

/** Returns the URL of the page for an interaction's prompt. The challenge in it is sealed to this browser. */
export function interactionUrl(
  deps: { secrets: Secrets; browserOf: (request: IncomingMessage) => string },
  ctx: KoaContextWithOIDC,
  interaction: Interaction,
): string {
  const kind = interaction.prompt.name === "consent" ? "consent" : "login";
  const challenge = sealChallenge(deps.secrets, { kind, uid: interaction.uid, browser: deps.browserOf(ctx.req) });
  const query = new URLSearchParams({ [`${kind}_challenge`]: challenge });
  const language = chosenLanguage(ctx, interaction.params.ui_locales);
  if (language) query.set(LANGUAGE_PARAMETER, language);
  return `${interaction.prompt.name === NOTICE_PROMPT ? NOTICE_PATH : `/${kind}`}?${query}`;
}

/** Returns the first supported language of `ui_locales`; null if there is none or the browser has chosen one itself. */
export function chosenLanguage(ctx: KoaContextWithOIDC, uiLocales: unknown): Language | null {
  if (typeof uiLocales !== "string" || ctx.cookies.get(LANGUAGE_COOKIE, { signed: false })) return null;
  return languageOfLocales(uiLocales);
}
