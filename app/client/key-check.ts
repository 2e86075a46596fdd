import { startAuthentication } from "@simplewebauthn/browser";
import { requestOptions } from "#app/domain/webauthn/options.ts";
import { FACTOR_FORM } from "./attributes.ts";
import { call } from "./factor-call.ts";
import { readText, readTexts } from "./json-post.ts";
import { enableCeremony } from "./key-ceremony.ts";
import { passTokenOn } from "./pass-on.ts";

/** Runs the ceremony for a registered security key. */
export function enableKeyCheck(): void {
  const form = document.querySelector<HTMLFormElement>(`form[${FACTOR_FORM}=key]`);
  if (!form) return;
  enableCeremony(form, {
    call: (path, body, signal) => call(form, path, body, signal),
    startPath: "/mfa/init-fido2",
    readStarted: (body) => ({
      relyingPartyId: readText(body, "relyingPartyId"),
      challenge: readText(body, "challenge"),
      allowedCredentialIds: readTexts(body, "allowedCredentialIds"),
      sessionId: readText(body, "sessionId"),
    }),
    ask: (started) => startAuthentication({ optionsJSON: requestOptions(started) }),
    finishPath: "/mfa/verify-fido2",
    finishBody: (_started, credential) => ({ ...Object(credential) }),
    goOn: (body) => passTokenOn(form, readText(body, "token")),
  });
}
