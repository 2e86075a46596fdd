import { startRegistration } from "@simplewebauthn/browser";
import { creationOptions } from "#app/domain/webauthn/options.ts";
import { DISPLAY_NAME, FACTOR_FORM, KEY_NAME_ID, PRODUCT_NAME, USERNAME } from "./attributes.ts";
import { call } from "./factor-call.ts";
import { readText, readTexts } from "./json-post.ts";
import { type Ceremony, enableCeremony } from "./key-ceremony.ts";
import { passTokenOn } from "./pass-on.ts";
import { callSettings } from "./settings-call.ts";

/** Sets up a new security key: in the second-factor step, or in the settings. */
export function enableKeySetUp(): void {
  const form = document.querySelector<HTMLFormElement>(`form[${FACTOR_FORM}=new-key]`);
  if (form) {
    enableCeremony(form, {
      ...registrationIn(form),
      call: (path, body, signal) => call(form, path, body, signal),
      startPath: "/mfa/init-fido2-registration",
      finishPath: "/mfa/setup-fido2",
      goOn: (body) => passTokenOn(form, readText(body, "token")),
    });
  }
  const own = document.querySelector<HTMLFormElement>(`form[${FACTOR_FORM}=own-key]`);
  if (own) {
    enableCeremony(own, {
      ...registrationIn(own),
      call: callSettings,
      startPath: "mfa-init-fido2",
      finishPath: "mfa-verify-fido2",
      goOn() {
        location.assign("/manage?status=mfa-success");
        return true;
      },
    });
  }
}

type Started = Parameters<typeof creationOptions>[0];

/** What is the same wherever a key is set up. */
function registrationIn(form: HTMLFormElement): Pick<Ceremony<Started>, "readStarted" | "ask" | "finishBody"> {
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
