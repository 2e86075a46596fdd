import type { IncomingMessage } from "node:http";
import type { KoaContextWithOIDC } from "oidc-provider";
import type { Language } from "#app/i18n/language.ts";
import { chosenLanguage } from "./interaction-url.server.ts";

/** Parts of oidc-provider's form_post page, already escaped. */
export type FormPostContent = {
  /** Script element that submits the form. The Content-Security-Policy contains its hash, so it must not be changed. */
  script: string;
  /** Opening tag and hidden fields of the form, without closing tag. */
  form: string;
  /** Language from `ui_locales`, if the browser has not chosen one; else null. */
  language: Language | null;
};

/** Renders the document around the form. */
export type FormPostPage = (content: FormPostContent) => Promise<string>;

const ENGINE_PAGE = /(<script>.*?<\/script>).*(<form method="post" .*?)<noscript>/s;

/**
 * Replaces the HTML of oidc-provider's form_post page, so that a user without JavaScript can read it and press its
 * button. Status, headers, fields and script are unchanged (OAuth 2.0 Form Post Response Mode §2).
 * @param pageOf returns the renderer for a request; null keeps oidc-provider's page
 */
export function replaceFormPostPage(pageOf: (request: IncomingMessage) => FormPostPage | null) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    if (typeof ctx.body !== "string" || !ctx.response.is("html")) return;
    const [, script, form] = ENGINE_PAGE.exec(ctx.body) ?? [];
    const page = pageOf(ctx.req);
    if (!script || !form || !page) return;
    ctx.body = await page({ script, form, language: chosenLanguage(ctx, ctx.oidc.params?.ui_locales) });
  };
}
