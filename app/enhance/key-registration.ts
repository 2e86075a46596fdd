import { startRegistration } from "@simplewebauthn/browser";
import { creationOptions } from "#app/domain/webauthn/options.ts";
import { DISPLAY_NAME, KEY_NAME_ID, PRODUCT_NAME, USERNAME } from "./attributes.ts";
import { readText, readTexts } from "./json-post.ts";
import type { Ceremony } from "./key-ceremony.ts";

type Started = Parameters<typeof creationOptions>[0];

/** What is the same wherever a key is set up: in the second-factor step, and in the settings. */
export function registrationIn(form: HTMLFormElement): Pick<Ceremony<Started>, "readStarted" | "ask" | "finishBody"> {
  const read = (attribute: string) => form.getAttribute(attribute) ?? "";
  const names = { productName: read(PRODUCT_NAME), username: read(USERNAME), displayName: read(DISPLAY_NAME) };
  return {
    readStarted: (body) => ({
      relyingPartyId: readText(body, "relyingPartyId"),
      userId: readText(body, "userId"),
      challenge: readText(body, "challenge"),
      existingCredentialIds: readTexts(body, "existingCredentialIds"),
      sessionId: readText(body, "sessionId"),
    }),
    ask: (started) => startRegistration({ optionsJSON: creationOptions(started, names) }),
    finishBody: ({ sessionId }, credential) => ({
      sessionId,
      credentialJson: JSON.stringify(credential),
      ...nameOfKey(),
    }),
  };
}

function nameOfKey(): { name?: string } {
  const name = document.querySelector<HTMLInputElement>(`#${KEY_NAME_ID}`)?.value.trim();
  return name ? { name } : {};
}
