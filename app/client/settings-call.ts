import { type Answer, postJson } from "./json-post.ts";

/** The header with the token of the next call. */
const NEXT_TOKEN = "x-api-next-token";

/**
 * Calls the API of the settings in the name of this page: the bearer is the `token` of its state, which every answer
 * replaces. A call that is under way is never broken off: the token of the next one would be lost with its answer.
 */
export function callSettings(path: string, body: object | undefined): Promise<Answer> {
  const state = readState();
  return postJson(`/api/v1/rpc/user/manage/${path}`, {
    headers: { Authorization: `Bearer ${state["token"]}` },
    body,
    take({ headers }) {
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
