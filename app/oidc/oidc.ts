import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";
import type { RequestNote } from "./events.server.ts";
import type { FormPostPage } from "./form-post-page.server.ts";
import type { EngineSession } from "./session.server.ts";

/** The OpenID Connect engine of this process. */
export type Oidc = {
  /** The engine as it is now; a new one after the signing keys changed. */
  provider(): Promise<Provider>;
  /**
   * Answers a request on one of the engine's paths; `facts` are what the edge found out about it. Rejects, with nothing
   * answered, when what the request has written was lost.
   */
  handle(request: IncomingMessage, response: ServerResponse, facts: EngineRequest): Promise<void>;
  /** The engine's session of this browser, or null. */
  session(request: IncomingMessage, response: ServerResponse): Promise<EngineSession | null>;
};

/**
 * What the engine is told of a request: the value of the browser cookie, what its log lines name, and how the page
 * looks that posts an answer to the application.
 */
export type EngineRequest = RequestNote & {
  browser: string;
  formPostPage: FormPostPage;
  /** Called with what the request did. */
  observe?: (event: InteractionEvent) => void;
};

/**
 * What a request did: it opened an interaction; resumed an answered one; got a response for the application, with or
 * without an interaction; or pushed a request for a public client.
 */
export type InteractionEvent =
  | { kind: "interaction opened"; uid: string }
  | { kind: "interaction ended"; uid: string }
  | { kind: "authorization completed" }
  | { kind: "request pushed" };
