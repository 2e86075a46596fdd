declare module "on-headers" {
  import type { ServerResponse } from "node:http";

  /** Calls the listener before the headers are written; listeners run in reverse order. */
  export default function onHeaders(response: ServerResponse, listener: () => void): void;
}
