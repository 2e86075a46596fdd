/**
 * Adds a field to the sign-in form of a device that can keep a passkey: one with a platform authenticator that verifies
 * its user. The server offers a passkey only then. Buttons that send the form to another page do not send the field.
 */
export async function reportPasskeyDevice(): Promise<void> {
  const form = document.querySelector<HTMLFormElement>("form#sign-in");
  if (!form || !window.PublicKeyCredential) return;
  try {
    if (!(await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable())) return;
  } catch {
    // Browsers forbid the question in some contexts, where passkeys do not work either.
    return;
  }
  let isSignIn = false;
  form.addEventListener("submit", ({ submitter }) => {
    isSignIn = !submitter?.hasAttribute("formaction");
  });
  form.addEventListener("formdata", ({ formData }) => {
    if (isSignIn) formData.set("passkey_device", "yes");
  });
}
