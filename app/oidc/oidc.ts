import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";
import type { RequestLogFields } from "./events.server.ts";
import type { FormPostPage } from "./form-post-page.server.ts";
import type { EngineSession } from "./session.server.ts";

/** The OpenID provider of this process. */
export type Oidc = {
  /** Resolves to the current provider; a new one after the signing keys changed. */
  provider(): Promise<Provider>;
  /**
   * Handles a request on one of oidc-provider's paths. Rejects, with nothing sent, if handling it or a commit failed.
   */
  handle(request: IncomingMessage, response: ServerResponse, engineRequest: EngineRequest): Promise<void>;
  /** Resolves to the session of this browser, or null. */
  session(request: IncomingMessage, response: ServerResponse): Promise<EngineSession | null>;
};

/** Request data for oidc-provider: the browser cookie ("" for a program) and fields for log lines. */
export type EngineRequest = RequestLogFields & {
  browser: string;
  /** Renders the form_post page; absent for requests of programs. */
  formPostPage?: FormPostPage;
  /** Counts a request that is stored without an answer. Returns the seconds to wait if there are too many, else 0. */
  /** The browser reported a device that can keep a passkey. */
  hasPasskeyDevice?: boolean;
  secondsUntilStorable?: () => Promise<number>;
  /** Called when a public client has pushed a request. */
  onPushed?: () => void;
};
