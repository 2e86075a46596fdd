import { errors, type KoaContextWithOIDC } from "oidc-provider";
import { HINTS_PARAM } from "./registration-hints.server.ts";

/** Most bytes of `state`, `nonce`, `login_hint`, `claims` and `reg_hints[...]` of one authorization request, together. */
export const MAX_FREE_BYTES = 4096;

/** Most bytes of all other parameters that are kept with a request, together. */
const MAX_OTHER_BYTES = 4096;

const FREE = new Set(["state", "nonce", "login_hint", "claims"]);

/** Compared with what is registered or signed by us, and no longer than that. */
const CHECKED = new Set(["redirect_uri", "id_token_hint"]);

/**
 * Refuses an authorization request, pushed or not, whose parameters are too large: an interaction keeps them all, and
 * an anonymous client could fill the disk. Hints of a registration count as they were sent, declared by the client or
 * not.
 *
 * The error goes back to the application with its `state` (RFC 6749 section 4.1.2.1), unless the state itself is above
 * the limit: then the error page is shown, because a shortened state is a wrong one.
 * @throws InvalidRequest
 */
export function requireSmallRequest({ oidc, query }: KoaContextWithOIDC): void {
  if (oidc.route !== "authorization" && oidc.route !== "pushed_authorization_request") return;
  const sent = oidc.route === "authorization" ? query : (oidc.body ?? {});
  const params = Object.entries(oidc.params ?? {});
  const free = params.filter(([name]) => FREE.has(name));
  const others = params.filter(([name]) => !FREE.has(name) && !CHECKED.has(name) && name !== HINTS_PARAM);
  const hints = Object.entries(sent).filter(([name]) => name.startsWith("reg_hints["));
  if (bytesOf([...free, ...hints]) > MAX_FREE_BYTES) {
    throw tooLarge("state, nonce, login_hint, claims and reg_hints are larger than 4 KB together", oidc.params?.state);
  }
  if (bytesOf(others) > MAX_OTHER_BYTES) {
    throw tooLarge("the parameters of the request are larger than 4 KB together", oidc.params?.state);
  }
}

function bytesOf(params: readonly (readonly [name: string, value: unknown])[]): number {
  const lengths = params.flatMap(([, value]) => [value].flat()).map((value) => lengthOf(value));
  return lengths.reduce((sum, length) => sum + length, 0);
}

function lengthOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
}

function tooLarge(description: string, state: unknown): errors.InvalidRequest {
  const error = new errors.InvalidRequest(description);
  error.allow_redirect = lengthOf(state) <= MAX_FREE_BYTES;
  return error;
}
