import type { AppContext } from "#app/context.server.ts";
import type { Language } from "#app/i18n/language.ts";
import type { HttpMessages } from "#app/oidc/http-messages.ts";
import type { EngineSession } from "#app/oidc/session.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { BrandFiles } from "./brand-files.server.ts";
import type { PageCode } from "./refusal.server.ts";

/**
 * Error response of the middleware. `retryAfterSeconds`: sent as Retry-After and shown in minutes. `retryUrl`: the URL of
 * a request that may succeed when it is repeated. `description`: for developers, in JSON responses only.
 */
export type Failure = {
  status: number;
  code: PageCode;
  retryAfterSeconds?: number;
  retryUrl?: string;
  description?: string;
};

/** Metadata and helpers of one request; created by the middleware. */
export type RequestContext = RequestMetadata & {
  cspNonce: string;
  /** Runs work after the response was sent, so that it does not affect the response time. Failures are logged. */
  afterResponse(work: () => Promise<void>): void;
  /** Resolves to the language of the login area in this browser. */
  language(): Promise<Language>;
  /** True for POST: the page shows the action's result, so the route's loader does not run afterwards. */
  isPosted: boolean;
  /** Leaves form-action out of this response's CSP, for pages whose form posts lead on to an application. */
  allowFormsToLeave(): void;
  /** Adds the https origin of this URL to img-src of this response's CSP; ignores URLs without one. */
  allowPicture(url: string): void;
  /** Returns the token of a user's remembered device in the cookies of this browser; "" if there is none. */
  deviceTokenOf(userId: string): string;
  /** Resolves to the engine session of this browser; reads it once per request. */
  session(): Promise<EngineSession | null>;
  /**
   * Counts an authorization request, or the start of a sign-in at a provider, that is stored without an answer of the
   * user. Throws a 429 Response if the limit of the client's address, or of the session, is reached.
   */
  requireStorable(kind?: "provider-start"): Promise<void>;
  /** Node's request and response, for oidc/ only. */
  exchange: HttpMessages;
};

/**
 * The context of every loader and action. `scriptUrl`: URL of the client script. `brand`: the office's files.
 * `hasBrowserCookie`: the request contained the browser cookie. `failure`: set when the middleware itself responds with
 * an error page.
 */
export type LoadContext = AppContext &
  RequestContext & { scriptUrl: string; brand: BrandFiles; hasBrowserCookie: boolean; failure: Failure | null };

declare module "@remix-run/node" {
  // Declaration merging requires an interface.
  interface AppLoadContext extends LoadContext {}
}
