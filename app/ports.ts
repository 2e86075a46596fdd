/** Source of the current time. Injected, so that tests control it. */
export type Clock = { now(): Date };

/** Cryptographically secure randomness. `token()` returns 32 random bytes as base64url (43 characters). */
export type Random = { bytes(count: number): Uint8Array; token(): string };

/** Describes the HTTP request behind an operation, for throttling, the audit trail and notices. */
export type RequestMetadata = {
  /** Value of the browser cookie; "" for a call of the API. */
  browser: string;
  /** IP address of the client. */
  address: string;
  userAgent: string;
  /** Reference that error pages show and log lines contain. */
  requestId: string;
};

/** Metadata of a sign-in; `clientId`: the client that requested it, null when there is none. */
export type SignInMetadata = RequestMetadata & { clientId: string | null };

/** Text encrypted by `Secrets.seal`: a compact JWE (`dir`, A256GCM) whose `kid` is the key's fingerprint. */
export type SealedSecret = string & { readonly brand: "SealedSecret" };

/** Purpose of a sealed text. A text sealed for one purpose cannot be opened for another. */
export type SealPurpose =
  | "signing-key"
  | "totp"
  | "client-secret"
  | "mail"
  | "provider-answer"
  | "username-cookie"
  | "typed-username"
  | "authorization-request";

/** SHA-256 of a random token, base64url, 43 characters; created by `hashToken`. */
export type TokenHash = string & { readonly brand: "TokenHash" };
