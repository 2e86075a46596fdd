import type { Page } from "playwright";
import type { Desk, Office } from "./office.ts";

/** Makes the anti-forgery tokens of a page useless, as time would. */
export async function forgeToken(page: Page): Promise<void> {
  await setHidden(page, "_xsrf", "stale");
}

/** Sets what a hidden field of every form sends, also where the page that hydrates afterwards puts its own value back. */
export async function setHidden(page: Page, name: string, value: string): Promise<void> {
  await page.locator(`input[name="${name}"]`).evaluateAll(
    (inputs, [field, text]) => {
      for (const input of inputs) {
        input.setAttribute("value", text);
        if (!(input instanceof HTMLInputElement)) continue;
        input.form?.addEventListener("formdata", ({ formData }) => formData.set(field, text));
      }
    },
    [name, value] as const,
  );
}

/** Takes a scope out of every form on a page. */
export async function dropScope(page: Page, scope: string): Promise<void> {
  await page.locator(`input[name="scopes"][value="${scope}"]`).evaluateAll((inputs) => {
    for (const input of inputs) input.remove();
  });
}

/** The address of a request that is none of OpenID Connect: it asks for consent, and for no scope. */
export function requestWithoutScopes({ server }: Pick<Office, "server">, desk: Desk): string {
  const query = new URLSearchParams({
    client_id: desk.clientId,
    redirect_uri: desk.redirectUri,
    response_type: "code",
    prompt: "consent",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  return `${server.url}/oauth2/auth?${query}`;
}
