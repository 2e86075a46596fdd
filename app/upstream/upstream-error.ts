/** Thrown when a provider's response is rejected; `reason` is a fixed text for the log. */
export class UpstreamError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`the response of the provider was rejected: ${reason}`);
    this.name = "UpstreamError";
    this.reason = reason;
  }
}
