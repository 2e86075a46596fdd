import type { Page } from "playwright";
import type { ClientApp, Installation } from "./installation.ts";

/** Invalidates the anti-forgery tokens of a page, as if they had expired. */
export async function forgeToken(page: Page): Promise<void> {
  await setHidden(page, "_xsrf", "stale");
}

/** Sets the submitted value of a hidden field in every form, even if hydration resets the field. */
async function setHidden(page: Page, name: string, value: string): Promise<void> {
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
