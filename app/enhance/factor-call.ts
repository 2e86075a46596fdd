/** What a JSON call of the second-factor step was answered with. */
export type Answer =
  | { kind: "done"; body: Body }
  | { kind: "refused"; status: number; code: string; body: Body; waitMinutes: number }
  | { kind: "unreachable" };

type Body = Readonly<Record<string, unknown>>;

const MINUTE_SECONDS = 60;

/** Nobody waits longer for an answer; whoever called goes another way. */
const CALL_TIMEOUT_MS = 15_000;

/** Calls the step in the name of this form: its mfa_token is the bearer, its `_xsrf` the anti-forgery token. */
export async function call(
  form: HTMLFormElement,
  path: string,
  body: object = {},
  signal?: AbortSignal,
): Promise<Answer> {
  const controller = new AbortController();
  const breakOff = () => controller.abort();
  const timer = setTimeout(breakOff, CALL_TIMEOUT_MS);
  signal?.addEventListener("abort", breakOff);
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        Authorization: `Bearer ${readField(form, "mfa_token")}`,
        "X-XSRF-Token": readField(form, "_xsrf"),
      },
      body: JSON.stringify(body),
      signal: controller.signal,
    });
    const answer = toBody(await response.json());
    if (response.ok) return { kind: "done", body: answer };
    const waitMinutes = Math.max(1, Math.ceil(Number(response.headers.get("Retry-After")) / MINUTE_SECONDS) || 1);
    return { kind: "refused", status: response.status, code: readText(answer, "error"), body: answer, waitMinutes };
  } catch {
    // No network, a broken-off call, or an answer that is no JSON: nothing is known.
    return { kind: "unreachable" };
  } finally {
    clearTimeout(timer);
  }
}

/** A text of an answer; empty where there is none. */
export function readText(body: Body, name: string): string {
  const value = body[name];
  return typeof value === "string" ? value : "";
}

/** A list of texts in an answer; empty where there is none. */
export function readTexts(body: Body, name: string): string[] {
  const value = body[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function readField(form: HTMLFormElement, name: string): string {
  return form.querySelector<HTMLInputElement>(`input[name=${name}]`)?.value ?? "";
}

function toBody(value: unknown): Body {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
