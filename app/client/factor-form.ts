import { type ApiResult, postJson } from "./json-post.ts";

/** Delay before the form is submitted after a verified factor (specification, section 9). */
const SUBMIT_DELAY_MS = 100;

/** Calls the second-factor API with the form's `mfa_token` as bearer token and its `_xsrf` as anti-forgery token. */
export function callFactorApi(
  form: HTMLFormElement,
  path: string,
  body: object = {},
  signal?: AbortSignal,
): Promise<ApiResult> {
  const headers = { ...formHeaders(form), Authorization: `Bearer ${readField(form, "mfa_token")}` };
  return postJson(path, { headers, body, signal });
}

/** Returns the header with the anti-forgery token of the form. */
export function formHeaders(form: HTMLFormElement): Record<string, string> {
  return { "X-XSRF-Token": readField(form, "_xsrf") };
}

/** Returns the value of a hidden field; "" if the form has none. */
export function readField(form: HTMLFormElement, name: string): string {
  return findField(form, name)?.value ?? "";
}

/** Sets the value of a hidden field that the form has. */
export function setField(form: HTMLFormElement, name: string, value: string): void {
  const field = findField(form, name);
  if (field) field.value = value;
}

/**
 * Submits the form with the token of the verified factor, without its submit listeners. Returns false if the token is
 * empty.
 */
export function submitWithToken(form: HTMLFormElement, token: string): boolean {
  const field = findField(form, "mfa_token");
  if (!field || token === "") return false;
  field.value = token;
  setTimeout(() => form.submit(), SUBMIT_DELAY_MS);
  return true;
}

/** Returns true if the form was submitted by its cancel button, which needs no check. */
export function isCancel({ submitter }: SubmitEvent): boolean {
  return submitter instanceof HTMLButtonElement && submitter.name === "cancel";
}

function findField(form: HTMLFormElement, name: string): HTMLInputElement | null {
  return form.querySelector<HTMLInputElement>(`input[name=${name}]`);
}
