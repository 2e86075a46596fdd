import { type ApiResult, postJson } from "./json-post.ts";

const NEXT_TOKEN = "x-api-next-token";

/**
 * Calls the settings API with the `token` of the page's state as bearer token; every response replaces the token. Calls
 * are never aborted, because the next token would be lost with the response.
 */
export function callSettings(path: string, body: object | undefined): Promise<ApiResult> {
  const state = readState();
  return postJson(`/api/v1/rpc/user/manage/${path}`, {
    headers: { Authorization: `Bearer ${state["token"]}` },
    body,
    onHeaders(headers) {
      const token = headers.get(NEXT_TOKEN);
      if (token !== null) writeState({ ...readState(), token });
    },
  });
}

function readState(): Record<string, unknown> {
  return JSON.parse(document.getElementById("root")?.dataset["state"] ?? "{}");
}

function writeState(state: object): void {
  const root = document.getElementById("root");
  if (root) root.dataset["state"] = JSON.stringify(state);
}
