/** What a JSON call was answered with. */
export type Answer =
  | { kind: "done"; body: Body }
  | { kind: "refused"; status: number; code: string; body: Body; waitMinutes: number }
  | { kind: "unreachable" };

export type Body = Readonly<Record<string, unknown>>;

/** One call of a page in its own name; without a body it has none. */
export type Call = (path: string, body: object | undefined, signal: AbortSignal) => Promise<Answer>;

type Post = {
  headers: Record<string, string>;
  body: object | undefined;
  signal?: AbortSignal | undefined;
  /** Looks at an answer before anything else does. */
  take?(response: Response): void;
};

const MINUTE_SECONDS = 60;

/** Nobody waits longer for an answer; whoever called goes another way. */
const CALL_TIMEOUT_MS = 15_000;

/** Posts JSON to an address of the product. */
export async function postJson(path: string, { headers, body, signal, take }: Post): Promise<Answer> {
  const controller = new AbortController();
  const breakOff = () => controller.abort();
  const timer = setTimeout(breakOff, CALL_TIMEOUT_MS);
  signal?.addEventListener("abort", breakOff);
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { Accept: "application/json", ...(body ? { "Content-Type": "application/json" } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: controller.signal,
    });
    take?.(response);
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

/** The members of a value; none where it is not an object. */
export function toBody(value: unknown): Body {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
