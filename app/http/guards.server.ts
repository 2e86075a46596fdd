import { refusal } from "./refusal.server.ts";

/** For actions whose page has no other way in: anything but POST gets 405. */
export function requireFormPost(request: Request): void {
  if (request.method !== "POST") throw refusal(405, "bad request", { Allow: "POST" });
}
