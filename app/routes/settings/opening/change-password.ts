import { redirect303 } from "#app/http/reply.server.ts";

/** Redirects password managers to the page that changes the password (W3C, A Well-Known URL for Changing Passwords). */
export function loader() {
  return redirect303("/manage/open?to=/manage/credentials/password");
}
