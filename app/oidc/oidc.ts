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
  /** Called when the request opened an interaction, when it ended one, and when a public client pushed a request. */
  observe?: (event: InteractionEvent) => void;
};

export type InteractionEvent = "interaction opened" | "interaction ended" | "request pushed";
