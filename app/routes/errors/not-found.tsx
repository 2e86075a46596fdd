import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { refusal } from "#app/http/refusal.server.ts";

/** Responds 404 to an unknown URL, or with the error with which the middleware has rejected the request. */
export function loader({ context }: LoaderFunctionArgs) {
  throw errorResponse(context.failure);
}

export function action({ context }: ActionFunctionArgs) {
  throw errorResponse(context.failure);
}

function errorResponse(failure: LoaderFunctionArgs["context"]["failure"]): Response {
  if (!failure) return refusal(404, "page_not_found");
  const { status, code, retryAfterSeconds } = failure;
  return refusal(status, code, {}, { retryAfterSeconds });
}

export default function NotFound() {
  return null;
}
