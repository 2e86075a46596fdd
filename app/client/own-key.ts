// Script of the settings page that adds a security key.

import { FACTOR_FORM } from "./attributes.ts";
import { onEachPage } from "./each-page.ts";
import { enableCeremony } from "./key-ceremony.ts";
import { registrationIn } from "./key-registration.ts";
import { callSettings } from "./settings-call.ts";

onEachPage(() => {
  const form = document.querySelector<HTMLFormElement>(`form[${FACTOR_FORM}=own-key]`);
  if (!form) return;
  enableCeremony(form, {
    ...registrationIn(form),
    call: callSettings,
    startPath: "mfa-init-fido2",
    finishPath: "mfa-verify-fido2",
    goOn() {
      location.assign("/manage?status=mfa-success");
      return true;
    },
  });
});
