import { type Answer, postJson } from "./json-post.ts";

/** Calls the second-factor API with the form's `mfa_token` as bearer token and its `_xsrf` as anti-forgery token. */
export function call(form: HTMLFormElement, path: string, body: object = {}, signal?: AbortSignal): Promise<Answer> {
  const headers = {
    Authorization: `Bearer ${readField(form, "mfa_token")}`,
    "X-XSRF-Token": readField(form, "_xsrf"),
  };
  return postJson(path, { headers, body, signal });
}

function readField(form: HTMLFormElement, name: string): string {
  return form.querySelector<HTMLInputElement>(`input[name=${name}]`)?.value ?? "";
}
