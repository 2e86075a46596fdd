import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { refusal } from "#app/http/refusal.server.ts";

/** Every unknown address; and the page for what the edge has refused before it came here. */
export function loader({ context }: LoaderFunctionArgs) {
  throw pageFor(context.failure);
}

export function action({ context }: ActionFunctionArgs) {
  throw pageFor(context.failure);
}

function pageFor(failure: LoaderFunctionArgs["context"]["failure"]): Response {
  if (!failure) return refusal(404, "page_not_found");
  const { status, code, retryAfterSeconds } = failure;
  return refusal(status, code, {}, { retryAfterSeconds });
}

export default function NotFound() {
  return null;
}
