import { startRegistration } from "@simplewebauthn/browser";
import { creationOptions } from "#app/domain/webauthn/options.ts";
import { DISPLAY_NAME, FACTOR_FORM, KEY_NAME_ID, PRODUCT_NAME, USERNAME } from "./attributes.ts";
import { readText, readTexts } from "./factor-call.ts";
import { enableCeremony } from "./key-ceremony.ts";

/** Sets up a new security key. */
export function enableKeySetUp(): void {
  const form = document.querySelector<HTMLFormElement>(`form[${FACTOR_FORM}=new-key]`);
  if (!form) return;
  const read = (attribute: string) => form.getAttribute(attribute) ?? "";
  const names = { productName: read(PRODUCT_NAME), username: read(USERNAME), displayName: read(DISPLAY_NAME) };
  enableCeremony(form, {
    startPath: "/mfa/init-fido2-registration",
    readStarted: (body) => ({
      relyingPartyId: readText(body, "relyingPartyId"),
      userId: readText(body, "userId"),
      challenge: readText(body, "challenge"),
      existingCredentialIds: readTexts(body, "existingCredentialIds"),
      sessionId: readText(body, "sessionId"),
    }),
    ask: (started) => startRegistration({ optionsJSON: creationOptions(started, names) }),
    finishPath: "/mfa/setup-fido2",
    finishBody: ({ sessionId }, credential) => ({
      sessionId,
      credentialJson: JSON.stringify(credential),
      ...nameOfKey(),
    }),
  });
}

function nameOfKey(): { name?: string } {
  const name = document.querySelector<HTMLInputElement>(`#${KEY_NAME_ID}`)?.value.trim();
  return name ? { name } : {};
}
