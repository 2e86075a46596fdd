import { randomBytes } from "node:crypto";
import type { NewClientInput } from "#app/domain/client/new-client.ts";
import { open } from "#tests/http/oidc/browser-steps.ts";
import { expectDocumented } from "#tests/http/settings/api-contract.ts";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import {
  type ApiResponse,
  createRelyingParty,
  type Parameters,
  type RelyingParty,
  sendApiRequest,
} from "#tests/support/relying-party.ts";
import type { TestServer } from "#tests/support/server.ts";

export const REGISTRATION_URL = "http://localhost:9/join?from=sign-in";

export const HINTS = { "reg_hints[email]": "eva@office.example", "reg_hints[name]": "Eva Brandt" };

/** A client with registration. */
export type Registrar = RelyingParty & {
  redeem(token: string, proof?: Proof): Promise<ApiResponse>;
  complete(id: string, account?: object, proof?: Proof): Promise<ApiResponse>;
};

type Proof = { headers?: Record<string, string>; members?: object };

/** Adds a client with registration and returns its calls. */
export async function createRegistrar(server: TestServer, input: Partial<NewClientInput> = {}): Promise<Registrar> {
  const client = await server.clients.create({
    firstParty: true,
    registrationUrl: REGISTRATION_URL,
    regHints: ["email", "name"],
    ...input,
  });
  const { clientId, clientSecret } = client;
  const basic = { headers: { authorization: basicAuth(clientId, clientSecret ?? "") } };
  const call = (name: string, body: object, { headers = {}, members = {} }: Proof) =>
    postJson(server, name, JSON.stringify({ ...body, ...members }), headers);
  return {
    ...createRelyingParty({ issuer: server.url, client }),
    redeem: (token, proof = basic) => call("redeem", { registration_token: token }, proof),
    complete: (id, account = {}, proof = basic) =>
      call("complete", { registration_id: id, ...newAccount(), ...account }, proof),
  };
}

export function basicAuth(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
}

/** Returns data of an account that does not exist yet. */
export function newAccount() {
  const username = `eva-${randomBytes(4).toString("hex")}`;
  return { username, display_name: "Eva Brandt", email: `${username}@office.example` };
}

/** Sends a call of an application with this exact body. Throws unless the response matches docs/openapi.json. */
export async function postJson(server: TestServer, name: string, body: string, headers: Record<string, string> = {}) {
  const path = `/api/v1/rpc/registration/${name}`;
  const response = await sendApiRequest(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  expectDocumented("POST", path, response);
  return response;
}

/** Opens the sign-in form of a request with hints. */
export function openSignIn(browser: Browser, party: RelyingParty, hints: Parameters = HINTS): Promise<HttpResponse> {
  return open(browser, party.request(hints).url);
}

export function pressCreate(browser: Browser, page: HttpResponse, values: FormValues = {}): Promise<HttpResponse> {
  return browser.submit(page, page.page().form("/register"), values);
}

/** Returns the registration token of a redirect; throws if there is none. */
export function tokenOf({ location, status }: HttpResponse): string {
  const token = new URL(location ?? "about:blank").searchParams.get("registration_token");
  if (token === null) throw new Error(`expected a registration_token, got ${status}`);
  return token;
}

/** Starts a registration and returns its token. */
export async function startRegistration(
  browser: Browser,
  party: RelyingParty,
  hints: Parameters = HINTS,
): Promise<string> {
  return tokenOf(await pressCreate(browser, await openSignIn(browser, party, hints)));
}

/** Starts a registration, redeems its token, and returns the registration_id. */
export async function startAndRedeem(browser: Browser, party: Registrar): Promise<string> {
  const redeemed = await party.redeem(await startRegistration(browser, party));
  if (redeemed.status !== 200) throw new Error(`Not redeemed: ${redeemed.status} ${redeemed.body}`);
  return String(redeemed.json().registration_id);
}

/** Performs a whole registration and returns the application's response. */
export async function register(browser: Browser, party: Registrar, account = newAccount()) {
  const completed = await party.complete(await startAndRedeem(browser, party), account);
  if (completed.status !== 200) throw new Error(`Not completed: ${completed.status} ${completed.body}`);
  const { user_id, callback_url } = completed.json();
  return { userId: String(user_id), callbackUrl: String(callback_url), account };
}
