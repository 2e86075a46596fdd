import { type IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { decodeJwt, decodeProtectedHeader, type JWK } from "jose";
import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { z } from "zod";
import type { Store } from "#app/db/store.server.ts";
import { LANGUAGE_PARAMETER } from "#app/i18n/detection.ts";
import { type ClientView, findClientView } from "./client-view.server.ts";
import type { HttpMessages } from "./http-messages.ts";
import { chosenLanguage } from "./interaction-url.server.ts";
import type { Oidc } from "./oidc.ts";
import { ENGINE_ROUTES } from "./paths.ts";
import { replacesRefusedLogout } from "./refused-logout.server.ts";
import { isErrorPage } from "./render-error.server.ts";

/** Page after a logout without redirect URI. */
const LOGGED_OUT_PATH = "/logout/callback";

/** A logout that waits for confirmation. A session holds one; the newest request replaces it. */
type LogoutRequest = {
  accountId: string;
  client: ClientView | null;
  /** URI to redirect to afterwards; null without one, and if the client has removed it or was removed since. */
  postLogoutRedirectUri: string | null;
  /** True if the request contained a valid ID token of this session, so that no confirmation is needed. */
  confirmed: boolean;
  /** True if it replaces a refused request, so that there is no URI to redirect to. */
  replacesRefused: boolean;
};

const slot = z.object({
  secret: z.string().min(1),
  clientId: z.string().optional(),
  postLogoutRedirectUri: z.string().optional(),
  confirmed: z.boolean().optional(),
  replacesRefused: z.boolean().optional(),
});

/** Redirects to our logout page, in place of oidc-provider's (OpenID Connect RP-Initiated Logout 1.0 §2). */
export async function redirectToLogoutPage(ctx: KoaContextWithOIDC): Promise<void> {
  const { session } = ctx.oidc;
  const state = session?.state;
  if (!session || !state) throw new Error("oidc-provider requested a logout without a session");
  if (isOfThisSession(ctx)) state.confirmed = true;
  if (replacesRefusedLogout(ctx)) state.replacesRefused = true;
  ctx.status = 303;
  const query = new URLSearchParams({ logout_challenge: String(state.secret) });
  ctx.redirect(`/logout?${withLanguage(ctx, query)}`);
}

/** Adds the language that the application asked for to the query of our page. */
function withLanguage(ctx: KoaContextWithOIDC, query: URLSearchParams): URLSearchParams {
  const language = chosenLanguage(ctx, ctx.oidc.params?.ui_locales);
  if (language) query.set(LANGUAGE_PARAMETER, language);
  return query;
}

/** Redirects to our page after a logout without redirect URI. */
export async function afterLogout(ctx: KoaContextWithOIDC): Promise<void> {
  ctx.status = 303;
  ctx.redirect(LOGGED_OUT_PATH);
}

/**
 * Drops an `id_token_hint` whose signing key is no longer published (`keys rotate --remove-old`): it cannot be
 * verified, so the user is asked for confirmation. oidc-provider rejects every other hint that it cannot verify. A
 * missing `client_id` is taken from the hint's audience; both are unverified (OpenID Connect RP-Initiated Logout 1.0
 * §2).
 */
export function dropHintsOfRemovedKeys(keys: readonly JWK[]) {
  const published = new Set(keys.map(({ kid }) => kid));
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (ctx.path === ENGINE_ROUTES.end_session) {
      const { id_token_hint: hint, ...others } = ctx.query;
      const named = typeof hint === "string" ? keyAndClientOf(hint) : null;
      if (named && !published.has(named.kid)) ctx.query = { client_id: named.clientId, ...others };
    }
    await next();
  };
}

/** Returns key id and client of an ID token, unverified; null if malformed. */
function keyAndClientOf(token: string): { kid: string; clientId: string } | null {
  try {
    const { kid } = decodeProtectedHeader(token);
    const { aud } = decodeJwt(token);
    return kid !== undefined && typeof aud === "string" ? { kid, clientId: aud } : null;
  } catch {
    return null;
  }
}

/**
 * Redirects a logout request without a session at once, instead of oidc-provider's auto-submitting page. Our page does
 * not claim a sign-out: the request may come from a server while the user's browser is still signed in.
 */
export async function redirectWithoutSession(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.path !== ENGINE_ROUTES.end_session || ctx.status !== 200 || ctx.oidc.session?.accountId) return;
  const { postLogoutRedirectUri, state } = ctx.oidc.session?.state ?? {};
  if (typeof postLogoutRedirectUri !== "string") {
    ctx.status = 303;
    return ctx.redirect(`${LOGGED_OUT_PATH}?${withLanguage(ctx, new URLSearchParams({ status: "no-session" }))}`);
  }
  const target = new URL(postLogoutRedirectUri);
  if (typeof state === "string") target.searchParams.set("state", state);
  ctx.status = 303;
  ctx.redirect(target.href);
}

/** Finds the pending logout of this challenge in this browser's session, or null. */
export async function findLogoutRequest(
  context: { oidc: Oidc; store: Store },
  http: HttpMessages,
  challenge: string,
): Promise<LogoutRequest | null> {
  const provider = await context.oidc.provider();
  const session = await provider.Session.get(provider.createContext(http.request, http.response));
  const state = slot.safeParse(session.state);
  if (!session.accountId || !state.success || state.data.secret !== challenge) return null;
  return {
    accountId: session.accountId,
    client: await findClientView(context.store, state.data.clientId),
    postLogoutRedirectUri: await findRegisteredUri(provider, state.data),
    confirmed: state.data.confirmed ?? false,
    replacesRefused: state.data.replacesRefused ?? false,
  };
}

/** Returns the URI of a pending logout if its client has it; null if not. oidc-provider checked it at the request only. */
async function findRegisteredUri(
  provider: Provider,
  { clientId, postLogoutRedirectUri: uri }: z.output<typeof slot>,
): Promise<string | null> {
  if (clientId === undefined || uri === undefined) return null;
  const client = await provider.Client.find(clientId);
  return client?.postLogoutRedirectUriAllowed(uri) ? uri : null;
}

/**
 * Confirms the logout by dispatching to oidc-provider's confirm endpoint in process, which revokes tokens and ends the
 * session.
 * @returns redirect location and cookies to set; null if oidc-provider refused
 */
export async function acceptLogout(
  context: { oidc: Oidc; store: Store },
  http: HttpMessages,
  challenge: string,
): Promise<{ location: string; cookies: string[] } | null> {
  const provider = await context.oidc.provider();
  // The session, and the request in it, is not available after the logout.
  const pending = await findLogoutRequest(context, http, challenge);
  const request = confirmation(http.request, challenge);
  const response = new ServerResponse(request);
  await provider.callback()(request, response);
  const location = response.getHeader("location");
  if (typeof location !== "string") return null;
  const path = sameOriginPath(provider, location);
  if (isErrorPage(path)) return null;
  const cookies = response.getHeader("set-cookie") ?? [];
  const isRegistered = path.startsWith("/") || pending?.postLogoutRedirectUri;
  return { location: isRegistered ? path : LOGGED_OUT_PATH, cookies: [cookies].flat().map(String) };
}

/** Returns true if the browser still sends the cookie of an ended session, e.g. on a second click. */
export async function isSignedOut(context: { oidc: Oidc }, http: HttpMessages): Promise<boolean> {
  const provider = await context.oidc.provider();
  const ctx = provider.createContext(http.request, http.response);
  const named = ctx.cookies.get(provider.cookieName("session"), { signed: false });
  const session = await provider.Session.get(ctx);
  return named !== undefined && !session.accountId;
}

/** Removes the pending logout and keeps the session. */
export async function rejectLogout(context: { oidc: Oidc }, http: HttpMessages): Promise<void> {
  const provider = await context.oidc.provider();
  const session = await provider.Session.get(provider.createContext(http.request, http.response));
  if (!session.exp) return;
  session.state = undefined;
  await session.persist();
}

function isOfThisSession({ oidc }: KoaContextWithOIDC): boolean {
  const hint = oidc.entities.IdTokenHint?.payload;
  const { session, client } = oidc;
  if (!hint || !session || !client || hint.sub !== session.accountId) return false;
  if (hint.sid !== undefined) return hint.sid === session.sidFor(client.clientId);
  // Without `sid`, `auth_time` distinguishes the sessions of a user; a session without it has no match.
  return session.loginTs !== undefined && hint.auth_time === session.loginTs;
}

/** Builds the POST that oidc-provider's own logout page would send, with the cookies of the user's request. */
function confirmation(original: IncomingMessage, challenge: string): IncomingMessage {
  const body = Buffer.from(new URLSearchParams({ xsrf: challenge, logout: "yes" }).toString());
  const url = `${ENGINE_ROUTES.end_session}/confirm`;
  const headers = {
    host: original.headers.host,
    cookie: original.headers.cookie,
    "x-forwarded-proto": original.headers["x-forwarded-proto"],
    "content-type": "application/x-www-form-urlencoded",
    "content-length": String(body.length),
  };
  const request = Object.assign(Readable.from([body]), {
    method: "POST",
    url,
    originalUrl: url,
    headers,
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    socket: original.socket,
  });
  // A stream with all properties that oidc-provider reads; the type requires a socket's stream.
  return request as unknown as IncomingMessage;
}

function sameOriginPath(provider: Provider, location: string): string {
  const url = new URL(location, provider.issuer);
  return url.origin === new URL(provider.issuer).origin ? url.pathname + url.search : url.href;
}
