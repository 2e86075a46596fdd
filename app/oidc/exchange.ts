import type { IncomingMessage, ServerResponse } from "node:http";

/** Node's request and response, from which the engine reads and sets its cookies. */
export type Exchange = { request: IncomingMessage; response: ServerResponse };
