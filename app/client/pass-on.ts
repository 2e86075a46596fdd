/** Delay before the form is submitted after a verified factor (SPEC.md section 9). */
const SUBMIT_DELAY_MS = 100;

/** Submits the form with the token of the verified step. Uses form.submit(), which skips the submit handlers. */
export function passOn(form: HTMLFormElement, token: string): void {
  const field = form.querySelector<HTMLInputElement>("input[name=mfa_token]");
  if (field) field.value = token;
  setTimeout(() => form.submit(), SUBMIT_DELAY_MS);
}

/** Submits the form if the token is not empty; returns whether it did. */
export function passTokenOn(form: HTMLFormElement, token: string): boolean {
  if (token !== "") passOn(form, token);
  return token !== "";
}

/** Returns true if the form was submitted by its cancel button, which needs no check. */
export function isCancel({ submitter }: SubmitEvent): boolean {
  return submitter instanceof HTMLButtonElement && submitter.name === "cancel";
}
