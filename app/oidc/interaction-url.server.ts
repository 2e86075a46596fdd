import type { IncomingMessage } from "node:http";
import type { Interaction, KoaContextWithOIDC } from "oidc-provider";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { sealChallenge } from "./seal.server.ts";

const LANGUAGES = new Set(["en", "de"]);

/**
 * Where the engine sends the browser to be asked: the challenge in the address is sealed to this browser.
 * `ui_locales` chooses the language of a browser that has chosen none itself (OpenID Connect Core 1.0 section 3.1.2.1).
 */
export function interactionUrl(
  parts: { secrets: Secrets; browserOf: (request: IncomingMessage) => string },
  ctx: KoaContextWithOIDC,
  interaction: Interaction,
): string {
  const kind = interaction.prompt.name === "consent" ? "consent" : "login";
  const challenge = sealChallenge(parts.secrets, { kind, uid: interaction.uid, browser: parts.browserOf(ctx.req) });
  const query = new URLSearchParams({ [`${kind}_challenge`]: challenge });
  const language = requestedLanguage(interaction.params.ui_locales);
  if (language && !ctx.cookies.get("i18next", { signed: false })) query.set("lng", language);
  return `/${kind}?${query}`;
}

function requestedLanguage(uiLocales: unknown): string | null {
  if (typeof uiLocales !== "string") return null;
  const languages = uiLocales.split(" ").map((tag) => tag.toLowerCase().split("-")[0] ?? "");
  return languages.find((language) => LANGUAGES.has(language)) ?? null;
}
