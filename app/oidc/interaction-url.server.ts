import type { IncomingMessage } from "node:http";
import type { Interaction, KoaContextWithOIDC } from "oidc-provider";
import { insertRecordOnce } from "#app/db/repositories/oidc-records.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { LANGUAGE_COOKIE, LANGUAGE_PARAMETER } from "#app/i18n/detection.ts";
import { type Language, languageOfLocales } from "#app/i18n/language.ts";
import type { SealedSecret } from "#app/ports.ts";
import { NO_ACCESS_PROMPT, NOTICE_PROMPT, OFFER_PROMPT } from "./interaction-policy.server.ts";
import { NO_ACCESS_PATH } from "./no-access.ts";
import { sealChallenge } from "./seal.server.ts";
import { recordOfInteraction, sealInteraction } from "./sealed-interaction.server.ts";

/** Path of the notice of a mailed password reset. */
export const NOTICE_PATH = "/login/password-notice";

/** Path of the offer of a passkey. */
export const OFFER_PATH = "/login/passkey-offer";

/** Pages of prompts that have their own. */
const PATHS: Readonly<Record<string, string>> = {
  [NOTICE_PROMPT]: NOTICE_PATH,
  [NO_ACCESS_PROMPT]: NO_ACCESS_PATH,
  [OFFER_PROMPT]: OFFER_PATH,
};

/**
 * Maximum lengths of the page's URL. With all other headers and cookies, the redirect to it fits into 4 KB, the default
 * of nginx's `proxy_buffer_size` (docs/decisions/082-unanswered-requests-are-not-stored.md). A resumed request sets more
 * cookies.
 */
const MAX_URL_LENGTH = { begun: 2200, resumed: 1800 } as const;

type UrlDeps = {
  secrets: Secrets;
  store: Store;
  browserOf: (request: IncomingMessage) => string;
  requireStorable: (request: IncomingMessage) => Promise<void>;
};

/**
 * Returns the URL of the page for the prompt of a new interaction, which its challenge contains. An interaction that is
 * too large for a URL is stored.
 * @throws StorageRefused if it would have to be stored and this address has stored too many
 */
export async function interactionUrl(
  deps: UrlDeps,
  ctx: KoaContextWithOIDC,
  interaction: Interaction,
): Promise<string> {
  const isResumed = interaction.lastSubmission !== undefined;
  // Compression takes longer than encryption: only long requests are compressed.
  for (const zip of [undefined, "DEF"] as const) {
    const url = pageUrl(deps, ctx, interaction, await sealInteraction(deps.secrets, interaction, zip));
    if (url.length <= MAX_URL_LENGTH[isResumed ? "resumed" : "begun"]) return url;
  }
  // The limit counts requests without an authenticated user; the user of a resumed one is authenticated.
  if (!isResumed) await deps.requireStorable(ctx.req);
  await insertRecordOnce(deps.store, recordOfInteraction(interaction));
  return pageUrl(deps, ctx, interaction, null);
}

/**
 * Returns the URL of the page for an interaction's prompt. The challenge in it is sealed to this browser.
 * @param sealedInteraction null if the interaction is stored
 */
export function pageUrl(
  { secrets, browserOf }: Pick<UrlDeps, "secrets" | "browserOf">,
  ctx: KoaContextWithOIDC,
  { uid, prompt, params }: Interaction,
  sealedInteraction: SealedSecret | null,
): string {
  const kind = prompt.name === "consent" ? "consent" : "login";
  const challenge = sealChallenge(secrets, { kind, uid, browser: browserOf(ctx.req), sealedInteraction });
  const query = new URLSearchParams({ [`${kind}_challenge`]: challenge });
  const language = chosenLanguage(ctx, params.ui_locales);
  if (language) query.set(LANGUAGE_PARAMETER, language);
  return `${PATHS[prompt.name] ?? `/${kind}`}?${query}`;
}

/** Returns the first supported language of `ui_locales`; null if there is none or the browser has chosen one itself. */
export function chosenLanguage(ctx: KoaContextWithOIDC, uiLocales: unknown): Language | null {
  if (typeof uiLocales !== "string" || ctx.cookies.get(LANGUAGE_COOKIE, { signed: false })) return null;
  return languageOfLocales(uiLocales);
}
