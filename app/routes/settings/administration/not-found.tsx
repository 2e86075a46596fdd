import { refusal } from "#app/http/refusal.server.ts";

/** Every other URL below /manage/admin. */
export function loader() {
  throw refusal(404, "page_not_found");
}

export function action() {
  throw refusal(404, "page_not_found");
}

/** Renders nothing: the loader always throws. A route with a component is a page, whose errors are pages too. */
export default function NotFound() {
  return null;
}
