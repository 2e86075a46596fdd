import { refusal } from "#app/http/refusal.server.ts";

/** Every other URL below /manage/admin. */
export function loader() {
  throw refusal(404, "page_not_found");
}

export function action() {
  throw refusal(404, "page_not_found");
}
