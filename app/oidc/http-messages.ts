import type { IncomingMessage, ServerResponse } from "node:http";

/** Node's request and response; oidc-provider reads and sets its cookies on them. */
export type HttpMessages = { request: IncomingMessage; response: ServerResponse };
