import { refusal } from "./refusal.server.ts";

/** Throws a Response 405 for any method but POST. */
export function requireFormPost(request: Request): void {
  if (request.method !== "POST") throw refusal(405, "bad request", { Allow: "POST" });
}
