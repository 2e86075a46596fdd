import { MINUTE_SECONDS } from "#app/durations.ts";

/** Result of a JSON call. */
export type ApiResult =
  | { kind: "done"; body: Body }
  | { kind: "refused"; status: number; code: string; body: Body; waitMinutes: number }
  | { kind: "unreachable" };

export type Body = Readonly<Record<string, unknown>>;

type Post = {
  headers: Record<string, string>;
  body: object | undefined;
  signal?: AbortSignal | undefined;
  /** Called with the headers before the body is read. */
  onHeaders?(headers: Headers): void;
};

/** Timeout of a call; its result is then `unreachable`. */
const CALL_TIMEOUT_MS = 15_000;

/** Posts JSON to this server. Resolves to `unreachable` on network errors, timeouts and non-JSON responses. */
export async function postJson(path: string, { headers, body, signal, onHeaders }: Post): Promise<ApiResult> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, CALL_TIMEOUT_MS);
  signal?.addEventListener("abort", abort);
  try {
    const response = await fetch(path, {
      method: "POST",
      headers: { Accept: "application/json", ...(body ? { "Content-Type": "application/json" } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: controller.signal,
    });
    onHeaders?.(response.headers);
    const result = toBody(await response.json());
    if (response.ok) return { kind: "done", body: result };
    const waitMinutes = Math.max(1, Math.ceil(Number(response.headers.get("Retry-After")) / MINUTE_SECONDS) || 1);
    return { kind: "refused", status: response.status, code: readText(result, "error"), body: result, waitMinutes };
  } catch {
    return { kind: "unreachable" };
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a string member; "" if it is missing. */
export function readText(body: Body, name: string): string {
  const value = body[name];
  return typeof value === "string" ? value : "";
}

/** Returns the strings of an array member; [] if it is missing. */
export function readTexts(body: Body, name: string): string[] {
  const value = body[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** Returns the members of an object; {} for any other value. */
export function toBody(value: unknown): Body {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
