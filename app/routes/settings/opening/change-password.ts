import { redirect303 } from "#app/http/reply.server.ts";

/** Where a password manager sends people who want another password (W3C, A Well-Known URL for Changing Passwords). */
export function loader() {
  return redirect303("/manage/open?to=/manage/credentials/password");
}
