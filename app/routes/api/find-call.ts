import { matchPath } from "@remix-run/react";
import type { LoadContext } from "#app/http/load-context.server.ts";
import type { DocumentedCall } from "./documented-call.ts";

/** `path`: relative to the base of the group of calls. */
export type CallRequest = { context: LoadContext; request: Request; path: string };

/** Returns the call with this method and path, and the parameters of the path; null when there is none. */
export function findCall<Call extends DocumentedCall>(
  calls: readonly Call[],
  { method, path }: { method: string; path: string },
): { call: Call; params: Record<string, string | undefined> } | null {
  for (const call of calls) {
    const params = matchCall(call, path);
    if (call.method === method && params) return { call, params };
  }
  return null;
}

/** Returns the value of the Allow header for a path. */
export function allowedMethods(calls: readonly DocumentedCall[], path: string): string {
  const methods = calls.filter((call) => matchCall(call, path)).map(({ method }) => method);
  return methods.join(", ");
}

function matchCall(call: DocumentedCall, path: string) {
  return matchPath(`/${call.path.replace(/\{(\w+)\}/g, ":$1")}`, `/${path}`)?.params ?? null;
}
