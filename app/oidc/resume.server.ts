import type { IncomingMessage } from "node:http";
import { errors, type Interaction, type KoaContextWithOIDC } from "oidc-provider";
import type { Store } from "#app/db/store.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock } from "#app/ports.ts";
import { findKeptRequest } from "./finished-interaction.server.ts";
import { pageUrl } from "./interaction-url.server.ts";
import { sealChallenge } from "./seal.server.ts";

/** Dependencies of resuming. `browserOf` returns the browser cookie of a request. */
export type ResumeDeps = {
  store: Store;
  clock: Clock;
  secrets: Secrets;
  browserOf: (request: IncomingMessage) => string;
};

/** Thrown when `/oauth2/auth/:uid` is not resumed; `location` is the page that explains it. */
export class ResumeRefused extends errors.OIDCProviderError {
  readonly location: string;
  // The error is shown by this server and never redirected to the client.
  override readonly allow_redirect = false;

  constructor(description: string, location: string) {
    super(400, "invalid_request", { detail: description });
    this.location = location;
  }
}

/**
 * Requires that a completed interaction is resumed once, only in the browser that completed it, and, if its result
 * continues a session, only while that one is the session of this browser. Apart from the interaction's session, if
 * any, oidc-provider checks only the resume cookie, which another host of the domain can set
 * (docs/decisions/025-one-response-per-request.md).
 * @param interaction null if there is none
 * @throws ResumeRefused
 */
export async function requireResumable(
  deps: ResumeDeps,
  ctx: KoaContextWithOIDC,
  uid: string,
  interaction: Interaction | null,
): Promise<void> {
  if (!interaction) {
    const location = await findUsedPage(deps, ctx, uid);
    if (location) throw refuse(ctx, "the request is already completed and resumed", location);
    return;
  }
  const { result } = interaction;
  // Without a result, oidc-provider would finish the interaction and open another one.
  if (!result) throw refuse(ctx, "the request is not completed", openPage(deps, ctx, interaction));
  if (result.browserHash !== hashToken(deps.browserOf(ctx.req))) {
    throw refuse(ctx, "the request was completed in another browser", pageOf(deps, uid, NO_BROWSER));
  }
  if (typeof result.sessionUid === "string" && result.sessionUid !== ctx.oidc.session?.uid) {
    throw refuse(ctx, "the session of the second step has ended", pageOf(deps, uid, NO_BROWSER));
  }
}

/**
 * Makes oidc-provider compare the redirect URI again before it redirects an error of a resumed request to it: an
 * administrator may have removed the URI since the request began.
 */
export function recheckRedirectUriOfErrors({ oidc }: KoaContextWithOIDC): void {
  // oidc-provider sets it to true when it resumes a request.
  Object.defineProperty(oidc, "redirectUriCheckPerformed", { get: () => false, set: () => {} });
}

/**
 * Requires that the client still has the redirect URI of a resumed request, as `recheckRedirectUriOfErrors` for errors.
 * @throws InvalidRedirectUri, which is not redirected
 */
export function requireRegisteredRedirectUri({ oidc }: KoaContextWithOIDC): void {
  const { route, client, params } = oidc;
  if (route !== "resume" || client?.redirectUriAllowed(String(params?.redirect_uri))) return;
  throw new errors.InvalidRedirectUri();
}

/** Returns the error of a request whose interaction another one has finished, with the page of a used request. */
export function refuseUsed(deps: ResumeDeps, ctx: KoaContextWithOIDC, uid: string, description: string): ResumeRefused {
  return refuse(ctx, description, pageOf(deps, uid, deps.browserOf(ctx.req)));
}

/** Returns the page of an interaction that this browser completed; null for any other. */
export async function findUsedPage(deps: ResumeDeps, ctx: KoaContextWithOIDC, uid: string): Promise<string | null> {
  const browser = deps.browserOf(ctx.req);
  const kept = await findKeptRequest(deps, uid);
  return kept?.used && kept.browserHash === hashToken(browser) ? pageOf(deps, uid, browser) : null;
}

/**
 * Returns the page of a stored interaction without a result. The resume cookie, which another host can set, does not prove
 * that this browser opened it; without an earlier sign-in it allows no more than a link to the same request.
 */
function openPage(deps: ResumeDeps, ctx: KoaContextWithOIDC, interaction: Interaction): string {
  const { uid, session, lastSubmission } = interaction;
  const isOwn = session ? session.uid === ctx.oidc.session?.uid : !lastSubmission;
  return isOwn ? pageUrl(deps, ctx, interaction, null) : pageOf(deps, uid, NO_BROWSER);
}

/** Matches no browser cookie, so that the challenge is foreign in every browser. */
const NO_BROWSER = "";

function refuse(ctx: KoaContextWithOIDC, description: string, location: string): ResumeRefused {
  // oidc-provider neither saves a destroyed session nor sets its cookie; the first request does both.
  if (ctx.oidc.session) Object.assign(ctx.oidc.session, { destroyed: true });
  return new ResumeRefused(description, location);
}

function pageOf({ secrets }: ResumeDeps, uid: string, browser: string): string {
  return `/login?${new URLSearchParams({ login_challenge: sealChallenge(secrets, { kind: "login", uid, browser }) })}`;
}
