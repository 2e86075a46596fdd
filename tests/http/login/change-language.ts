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

/** Presses the button that leads to the other form, of the sign-in or of a forgotten password, and keeps the name. */
export function pressKeepName(
  browser: Browser,
  page: HttpResponse,
  to: "reset" | "sign-in",
  typed: Record<string, string> = {},
): Promise<HttpResponse> {
  const { formaction } = page.page().one("button", { name: "next_form", value: to }).attributes;
  const [form] = page
    .page()
    .forms()
    .filter(({ buttons }) => buttons.some(({ name }) => name === "next_form"));
  return browser.post(formaction ?? form?.action ?? "", {
    ...Object.fromEntries(form?.fields ?? []),
    ...typed,
    next_form: to,
  });
}
