import { stateOf } from "#tests/http/login/open-form.ts";
import { type ApiAnswer, ask } from "#tests/support/relying-party.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { expectDocumented } from "./api-contract.ts";
import type { SettingsDesk } from "./steps.ts";

export const API = "/api/v1/rpc/user/manage";
export const NEXT_TOKEN = "x-api-next-token";

type Site = Pick<TestServer, "url">;

export type CallOptions = {
  method?: string;
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
};

/** Makes one call of the settings API with this bearer token. Throws unless the response matches docs/openapi.json. */
export async function callWith(
  { url }: Site,
  token: string,
  path: string,
  { method = "GET", body, headers = {} }: CallOptions = {},
): Promise<ApiAnswer> {
  const isJson = body !== undefined;
  const answer = await ask(`${url}${API}/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isJson ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(isJson ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
  });
  expectDocumented(method, `${API}/${path}`, answer);
  return answer;
}

/** A sequence of calls, each with the token of the previous response. */
export type Chain = {
  /** Returns the token for the next call. */
  token(): string;
  call(path: string, options?: CallOptions): Promise<ApiAnswer>;
  get(path: string): Promise<ApiAnswer>;
  post(path: string, body?: unknown): Promise<ApiAnswer>;
  put(path: string, body: unknown): Promise<ApiAnswer>;
};

export function createChain(server: Site, firstToken: string): Chain {
  const state = { token: firstToken };
  const chain: Chain = {
    token: () => state.token,
    async call(path, options) {
      const answer = await callWith(server, state.token, path, options);
      state.token = answer.headers.get(NEXT_TOKEN) ?? "";
      return answer;
    },
    get: (path) => chain.call(path),
    post: (path, body) => chain.call(path, { method: "POST", body }),
    put: (path, body) => chain.call(path, { method: "PUT", body }),
  };
  return chain;
}

/** Signs in, opens the settings by an application's request, and calls the API with the returned token. */
export async function openChain(server: TestServer, desk: SettingsDesk, user: TestUser): Promise<Chain> {
  const url = new URL(await desk.settingsUrl(await desk.signIn(server.browser(), user)));
  return createChain(server, url.searchParams.get("t") ?? "");
}

/** Signs in and opens the settings page, and calls the API with the page's token. */
export async function openPageChain(
  server: TestServer,
  desk: SettingsDesk,
  user: TestUser,
  browser = server.browser(),
) {
  const { token } = stateOf(await desk.openSettings(browser, user));
  if (typeof token !== "string") throw new Error("a page of the settings without a token");
  return { browser, chain: createChain(server, token) };
}

/** Returns status and body of a response. */
export function told(answer: ApiAnswer): [number, unknown] {
  return [answer.status, answer.json()];
}
