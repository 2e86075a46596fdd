import type { JWK } from "oidc-provider";

/** A user of a fake provider. `sub` is the subject identifier at that provider. */
export type FakeProviderUser = { sub: string; name: string; email: string; email_verified: boolean };

/** Expected values of a client secret that is a JWT signed by the client, as Apple requires it. */
export type SignedSecretCheck = {
  publicKeyPem: string;
  keyId: string;
  teamId: string;
  clientId: string;
  audience: string;
};

export type FakeProviderOptions = {
  /** Display name on its sign-in page, e.g. "Google". */
  name: string;
  /** Issuer URL with a path: http://localhost:3002/google. */
  issuer: string;
  client: { id: string; redirectUri: string; secret: string | SignedSecretCheck };
  users: readonly FakeProviderUser[];
  /** RS256 signing keys of its ID tokens; the first one is used. */
  keys: readonly JWK[];
  /** Random text that signs its cookies. */
  cookieKey: string;
  /** OAuth error code of a cancelled sign-in. */
  cancelledError: string;
  /** Posts the user's name in the form field `user` beside the code, as Apple does, and omits it from the claims. */
  postsName: boolean;
};
