/** Thrown when a provider's response is rejected; `reason` is a fixed text for the log. */
export class UpstreamError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`the provider's answer was refused: ${reason}`);
    this.name = "UpstreamError";
    this.reason = reason;
  }
}
