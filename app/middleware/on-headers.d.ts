declare module "on-headers" {
  import type { ServerResponse } from "node:http";

  /** Calls the listener just before the headers are written; the last one added is called first. */
  export default function onHeaders(response: ServerResponse, listener: () => void): void;
}
