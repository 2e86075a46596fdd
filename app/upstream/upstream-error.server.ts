import { ResponseTooLargeError } from "#app/limited-fetch.server.ts";

/** Thrown when a provider's response is rejected; `reason` is a fixed text for the log. */
export class UpstreamError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`the response of the provider was rejected: ${reason}`);
    this.name = "UpstreamError";
    this.reason = reason;
  }
}

/** Error codes of OAuth 2.0 and OpenID Connect. Other texts of a provider are not logged. */
const OAUTH_ERROR = /^[a-z_]{1,50}$/;

/** Error codes of openid-client, its HTTP client and Node. */
const CODE = /^[A-Z0-9_]{1,60}$/;

/** Returns a fixed reason for the log. Messages are not used, because they may contain a token or a code. */
export function reasonOf(error: unknown): string {
  if (error instanceof UpstreamError) return error.reason;
  // openid-client wraps what its fetch function throws.
  if (error instanceof Error && error.cause instanceof UpstreamError) return error.cause.reason;
  if (error instanceof Error && error.cause instanceof ResponseTooLargeError) return "answer larger than 1 MB";
  const errorCode = textIn(error, "error");
  if (errorCode !== null && OAUTH_ERROR.test(errorCode)) return `answered ${errorCode}`;
  const cause = error instanceof Error ? textIn(error.cause, "code") : null;
  const code = [textIn(error, "code"), cause].find((text) => text !== null && CODE.test(text));
  return code ?? (error instanceof Error ? error.name : "unknown");
}

function textIn(value: unknown, name: "error" | "code"): string | null {
  if (typeof value !== "object" || value === null) return null;
  const { [name]: found }: { error?: unknown; code?: unknown } = value;
  return typeof found === "string" ? found : null;
}
