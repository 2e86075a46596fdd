import { FACTOR_FORM } from "./attributes.ts";
import { call } from "./factor-call.ts";
import { readText } from "./json-post.ts";
import { enableCeremony } from "./key-ceremony.ts";
import { registrationIn } from "./key-registration.ts";
import { passTokenOn } from "./pass-on.ts";

/** Runs the registration of a security key in the second-factor step. */
export function enableKeySetUp(): void {
  const form = document.querySelector<HTMLFormElement>(`form[${FACTOR_FORM}=new-key]`);
  if (!form) return;
  enableCeremony(form, {
    ...registrationIn(form),
    call: (path, body, signal) => call(form, path, body, signal),
    startPath: "/mfa/init-fido2-registration",
    finishPath: "/mfa/setup-fido2",
    goOn: (body) => passTokenOn(form, readText(body, "token")),
  });
}
