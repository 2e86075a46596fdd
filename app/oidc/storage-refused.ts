import { errors } from "oidc-provider";

/** Thrown when an authorization request is too large for a URL and its address has stored too many. */
export class StorageRefused extends errors.OIDCProviderError {
  readonly retryAfterSeconds: number;
  // The page of the error is shown by this server and never redirected to the client.
  override readonly allow_redirect = false;

  constructor(retryAfterSeconds: number) {
    super(429, "temporarily_unavailable", { detail: "too many authorization requests of this address are stored" });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
