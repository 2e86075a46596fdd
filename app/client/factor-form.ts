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
  const headers = {
    Authorization: `Bearer ${findField(form, "mfa_token")?.value}`,
    "X-XSRF-Token": findField(form, "_xsrf")?.value ?? "",
  };
  return postJson(path, { headers, body, signal });
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
