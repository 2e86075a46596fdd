/** Why an answer of a provider is not taken; `reason` is a fixed word for the log. */
export class UpstreamError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`the provider's answer was refused: ${reason}`);
    this.name = "UpstreamError";
    this.reason = reason;
  }
}
