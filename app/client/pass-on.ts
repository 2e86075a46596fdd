/** The product's specification, section 9: a verified step is sent this much later. */
const SUBMIT_DELAY_MS = 100;

/**
 * Sends the form with the token of the verified step. Not through its button: nothing is to be checked any more.
 */
export function passOn(form: HTMLFormElement, token: string): void {
  const field = form.querySelector<HTMLInputElement>("input[name=mfa_token]");
  if (field) field.value = token;
  setTimeout(() => form.submit(), SUBMIT_DELAY_MS);
}

/** Passes the token on where there is one; answers whether there is. */
export function passTokenOn(form: HTMLFormElement, token: string): boolean {
  if (token !== "") passOn(form, token);
  return token !== "";
}

/** True for the button that ends the sign-in: it needs no check. */
export function isCancel({ submitter }: SubmitEvent): boolean {
  return submitter instanceof HTMLButtonElement && submitter.name === "cancel";
}
