import type { IncomingMessage } from "node:http";
import type { KoaContextWithOIDC } from "oidc-provider";
import { chosenLanguage } from "./interaction-url.server.ts";

/** The parts of the engine's page that take an answer to the application by POST, as the engine has escaped them. */
export type FormPost = {
  /** The script element that sends the form; the policy names its hash, so it is used to the letter. */
  script: string;
  /** The form's opening tag and its hidden fields; the closing tag is not there yet. */
  form: string;
  /** What `ui_locales` asks for, for a browser that has chosen no language itself; else null. */
  language: "en" | "de" | null;
};

/** Makes the document that stands around the form. */
export type FormPostPage = (parts: FormPost) => Promise<string>;

const ENGINE_PAGE = /(<script>.*?<\/script>).*(<form method="post" .*?)<noscript>/s;

/**
 * Puts a page of ours in the place of the engine's around the form of response_mode=form_post: whoever has no
 * JavaScript reads it and presses its button. Status, headers, fields and script stay the engine's. OAuth 2.0 Form Post
 * Response Mode section 2.
 * @param pageOf what makes the page for this request; null leaves the engine's as it is
 */
export function replaceFormPostPage(pageOf: (request: IncomingMessage) => FormPostPage | null) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    if (!ctx.response.is("html") || typeof ctx.body !== "string") return;
    const [, script, form] = ENGINE_PAGE.exec(ctx.body) ?? [];
    const page = pageOf(ctx.req);
    if (!script || !form || !page) return;
    ctx.body = await page({ script, form, language: chosenLanguage(ctx, ctx.oidc.params?.ui_locales) });
  };
}
