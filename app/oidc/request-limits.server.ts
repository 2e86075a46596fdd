import { errors, type KoaContextWithOIDC } from "oidc-provider";
import { HINTS_PARAM } from "./registration-hints.server.ts";

/** Maximum bytes of `state`, `nonce`, `login_hint`, `claims` and `reg_hints[...]` of a request, together. */
const MAX_FREE_BYTES = 4096;

/** Maximum bytes of all other stored parameters, together. */
const MAX_OTHER_BYTES = 4096;

const FREE_FORM = new Set(["state", "nonce", "login_hint", "claims"]);

/** Compared with registered or signed values, which limits their length. */
const CHECKED = new Set(["redirect_uri", "id_token_hint"]);

/**
 * Checks the size of an authorization request, pushed or not: an interaction stores all parameters, and an anonymous
 * client could fill the disk. Registration hints count as they were sent, declared or not.
 *
 * The error is returned to the client with its `state` (RFC 6749 §4.1.2.1). If `state` itself exceeds the limit, the
 * error page is shown, because a truncated state would be wrong.
 * @throws InvalidRequest
 */
export function requireSmallRequest({ oidc, query }: KoaContextWithOIDC): void {
  if (oidc.route !== "authorization" && oidc.route !== "pushed_authorization_request") return;
  const sent = oidc.route === "authorization" ? query : (oidc.body ?? {});
  const params = Object.entries(oidc.params ?? {});
  const freeForm = params.filter(([name]) => FREE_FORM.has(name));
  const others = params.filter(([name]) => !FREE_FORM.has(name) && !CHECKED.has(name) && name !== HINTS_PARAM);
  const hints = Object.entries(sent).filter(([name]) => name.startsWith("reg_hints["));
  if (bytesOf([...freeForm, ...hints]) > MAX_FREE_BYTES) {
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
