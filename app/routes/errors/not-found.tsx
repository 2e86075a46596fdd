import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { failureResponse } from "#app/http/failure-response.server.ts";

/** Responds 404 to an unknown URL, or with the error with which the middleware has rejected the request. */
export function loader({ context }: LoaderFunctionArgs) {
  throw failureResponse(context.failure);
}

export function action({ context }: ActionFunctionArgs) {
  throw failureResponse(context.failure);
}

export default function NotFound() {
  return null;
}
