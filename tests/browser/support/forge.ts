import type { Locator, Page } from "playwright";
import type { ClientApp, Installation } from "./installation.ts";
import { alertOf } from "./pages.ts";

/** Invalidates the anti-forgery tokens of a page, as if they had expired, even if hydration resets the fields. */
export async function forgeToken(page: Page): Promise<void> {
  await page.locator('input[name="_xsrf"]').evaluateAll((inputs) => {
    for (const input of inputs) {
      input.setAttribute("value", "stale");
      if (!(input instanceof HTMLInputElement)) continue;
      input.form?.addEventListener("formdata", ({ formData }) => formData.set("_xsrf", "stale"));
    }
  });
}

/** Presses the button of a form whose anti-forgery token is invalid, and waits for the error. */
export async function submitForged(button: Locator): Promise<void> {
  await forgeToken(button.page());
  await button.click();
  await alertOf(button.page()).waitFor();
}

export async function dropScope(page: Page, scope: string): Promise<void> {
  await page.locator(`input[name="scopes"][value="${scope}"]`).evaluateAll((inputs) => {
    for (const input of inputs) input.remove();
  });
}

/** Returns an authorization request without scopes that asks for consent. */
export function requestWithoutScopes({ server }: Pick<Installation, "server">, clientApp: ClientApp): string {
  const query = new URLSearchParams({
    client_id: clientApp.clientId,
    redirect_uri: clientApp.redirectUri,
    response_type: "code",
    prompt: "consent",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  return `${server.url}/oauth2/auth?${query}`;
}
