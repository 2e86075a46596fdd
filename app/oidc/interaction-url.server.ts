import type { IncomingMessage } from "node:http";
import type { Interaction, KoaContextWithOIDC } from "oidc-provider";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { NOTICE_PROMPT } from "./policy.server.ts";
import { sealChallenge } from "./seal.server.ts";

/** Path of the notice of a mailed password reset. */
export const NOTICE_PATH = "/login/password-notice";

const LANGUAGES = ["en", "de"] as const;

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
  if (language) query.set("lng", language);
  return `${interaction.prompt.name === NOTICE_PROMPT ? NOTICE_PATH : `/${kind}`}?${query}`;
}

/**
 * Returns the first supported language of `ui_locales` (OpenID Connect Core 1.0 §3.1.2.1); null if there is none or the
 * browser has chosen a language itself.
 */
export function chosenLanguage(ctx: KoaContextWithOIDC, uiLocales: unknown): (typeof LANGUAGES)[number] | null {
  if (typeof uiLocales !== "string" || ctx.cookies.get("i18next", { signed: false })) return null;
  const requested = uiLocales.split(" ").map((tag) => tag.toLowerCase().split("-")[0]);
  return requested.flatMap((tag) => LANGUAGES.find((language) => language === tag) ?? [])[0] ?? null;
}
