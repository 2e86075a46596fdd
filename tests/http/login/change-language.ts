import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";

/** Presses the button that changes the language of a page with a form; `typed` is what the form's fields contain. */
export function changeLanguage(
  browser: Browser,
  page: HttpResponse,
  { to: lang, ...typed }: Record<string, string> & { to: string },
): Promise<HttpResponse> {
  const { formaction = "", formmethod, form: id = "" } = page.page().one("button", { lang }).attributes;
  if (formmethod !== "post") throw new Error(`the form is sent by ${formmethod}`);
  const { action = "" } = page.page().one("form", { id }).attributes;
  const { fields } = page.page().form(new URL(action, page.url).pathname);
  return browser.post(formaction, { ...Object.fromEntries(fields), ...typed });
}
