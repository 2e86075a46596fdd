import { stateOf } from "#tests/http/login/open-form.ts";
import { type ApiResponse, sendApiRequest } from "#tests/support/relying-party.ts";
import type { TestServer, TestUser } from "#tests/support/server.ts";
import { expectDocumented } from "./api-contract.ts";
import type { SettingsClient } from "./steps.ts";

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
): Promise<ApiResponse> {
  const isJson = body !== undefined;
  const response = await sendApiRequest(`${url}${API}/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(isJson ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(isJson ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {}),
  });
  expectDocumented(method, `${API}/${path}`, response);
  return response;
}

/** A sequence of calls, each with the token of the previous response. */
export type Chain = {
  /** Returns the token for the next call. */
  token(): string;
  call(path: string, options?: CallOptions): Promise<ApiResponse>;
  get(path: string): Promise<ApiResponse>;
  post(path: string, body?: unknown): Promise<ApiResponse>;
  put(path: string, body: unknown): Promise<ApiResponse>;
};

export function createChain(server: Site, firstToken: string): Chain {
  const state = { token: firstToken };
  const chain: Chain = {
    token: () => state.token,
    async call(path, options) {
      const response = await callWith(server, state.token, path, options);
      state.token = response.headers.get(NEXT_TOKEN) ?? "";
      return response;
    },
    get: (path) => chain.call(path),
    post: (path, body) => chain.call(path, { method: "POST", body }),
    put: (path, body) => chain.call(path, { method: "PUT", body }),
  };
  return chain;
}

/** Signs in, opens the settings by an application's request, and calls the API with the returned token. */
export async function openChain(server: TestServer, settingsClient: SettingsClient, user: TestUser): Promise<Chain> {
  const url = new URL(await settingsClient.settingsUrl(await settingsClient.signIn(server.browser(), user)));
  return createChain(server, url.searchParams.get("t") ?? "");
}

/** Signs in and opens the settings page, and calls the API with the page's token. */
export async function openPageChain(
  server: TestServer,
  settingsClient: SettingsClient,
  user: TestUser,
  browser = server.browser(),
) {
  const { token } = stateOf(await settingsClient.openSettings(browser, user));
  if (typeof token !== "string") throw new Error("settings page without a token");
  return { browser, chain: createChain(server, token) };
}

/** Returns status and body of a response. */
export function statusAndBody(response: ApiResponse): [number, unknown] {
  return [response.status, response.json()];
}
