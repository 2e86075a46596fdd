import { startRegistration } from "@simplewebauthn/browser";
import { creationOptions } from "#app/domain/webauthn/options.ts";
import { KEY_NAME_ID, PRODUCT_NAME } from "./attributes.ts";
import { readText, readTexts, toBody } from "./json-post.ts";
import type { Ceremony } from "./key-ceremony.ts";

type Started = Parameters<typeof creationOptions>[0];

/** Returns the parts that registrations during sign-in and in the settings share. */
export function registrationIn(form: HTMLFormElement): Pick<Ceremony<Started>, "readStarted" | "ask" | "finishBody"> {
  const productName = form.getAttribute(PRODUCT_NAME) ?? "";
  return {
    readStarted: (body) => ({
      relyingPartyId: readText(body, "relyingPartyId"),
      userId: readText(body, "userId"),
      challenge: readText(body, "challenge"),
      existingCredentialIds: readTexts(body, "existingCredentialIds"),
      sessionId: readText(body, "sessionId"),
      user: readUser(body.user),
    }),
    ask: (started) => startRegistration({ optionsJSON: creationOptions(started, productName) }),
    finishBody: ({ sessionId }, credential) => ({
      sessionId,
      credentialJson: JSON.stringify(credential),
      ...nameOfKey(),
    }),
  };
}

function readUser(value: unknown): Started["user"] {
  const user = toBody(value);
  return {
    username: readText(user, "username"),
    displayName: readText(user, "displayName"),
    base64EncodedUserId: readText(user, "base64EncodedUserId"),
    icon: readText(user, "icon"),
  };
}

function nameOfKey(): { name?: string } {
  const name = document.querySelector<HTMLInputElement>(`#${KEY_NAME_ID}`)?.value.trim();
  return name ? { name } : {};
}
