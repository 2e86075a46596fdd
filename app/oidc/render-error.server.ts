import type { IncomingMessage } from "node:http";
import { type ErrorOut, errors, type KoaContextWithOIDC } from "oidc-provider";
import { MAX_QUOTED_CODE, quotedText } from "#app/domain/base/quoted-text.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { replacementOfRefusedLogout } from "./refused-logout.server.ts";
import { findUsedPage, type ResumeDeps, ResumeRefused } from "./resume.server.ts";
import { StorageRefused } from "./storage-refused.ts";

/** Routes that browsers open; all others respond with JSON. */
const PAGE_ROUTES = new Set(["authorization", "resume", "end_session", "end_session_confirm", "end_session_success"]);

const ERROR_PAGE = "/error";

/** Maximum length of the shown description, in characters. */
const MAX_DESCRIPTION = 200;

/** Values shown on the error page. `reference` is the id of the refused request, whose log line has the reason. */
type ShownError = { error: string | null; error_description: string | null; reference: string | null };

/** Dependencies of error responses. `requestIdOf` returns the id of a request in the log. */
type ErrorDeps = ResumeDeps & { requestIdOf: (request: IncomingMessage) => string };

/**
 * Renders an error that is not returned to the client (RFC 6749 §4.1.2.1): a redirect to a page for browsers, usually
 * the error page; JSON otherwise. On browser routes a server_error is rethrown, so that its page shows the reference id. The URL is
 * signed for this browser, because the error page presents only signed values as this server's.
 */
export async function renderError(
  deps: ErrorDeps,
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  error: Error,
): Promise<void> {
  if (!PAGE_ROUTES.has(ctx.oidc.route)) {
    ctx.type = "json";
    ctx.body = out;
    return;
  }
  if (out.error === "server_error" || error instanceof StorageRefused) throw error;
  ctx.status = 303;
  ctx.redirect(await pageOf(deps, ctx, out, error));
}

/** Returns the page for the error. A refused logout still lets the user sign out. */
async function pageOf(deps: ErrorDeps, ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): Promise<string> {
  if (ctx.oidc.route === "end_session") return replacementOfRefusedLogout(ctx);
  return (await findResumePage(deps, ctx, error)) ?? errorPage(deps, ctx, out);
}

/** Returns the page for a request that cannot resume its interaction; null for the error page. */
async function findResumePage(deps: ResumeDeps, ctx: KoaContextWithOIDC, error: Error): Promise<string | null> {
  if (error instanceof ResumeRefused) return error.location;
  if (ctx.oidc.route !== "resume" || !(error instanceof errors.SessionNotFound)) return null;
  return findUsedPage(deps, ctx, ctx.path.split("/").at(-1) ?? "");
}

function errorPage(deps: ErrorDeps, ctx: KoaContextWithOIDC, out: ErrorOut): string {
  const { secrets, browserOf, requestIdOf } = deps;
  const shown = {
    error: quotedText(out.error, MAX_QUOTED_CODE),
    error_description: quotedText(out.error_description ?? "", MAX_DESCRIPTION) || null,
    reference: requestIdOf(ctx.req) || null,
  };
  const query = new URLSearchParams({ error: shown.error });
  if (shown.error_description) query.set("error_description", shown.error_description);
  if (shown.reference) query.set("reference", shown.reference);
  query.set("sig", secrets.mac("error-page", signedText(shown, browserOf(ctx.req))));
  return `${ERROR_PAGE}?${query}`;
}

/** Returns true if this server signed these values for this browser; `sig` is a parameter of the error page's URL. */
export function isEngineError(
  secrets: Pick<Secrets, "checkMac">,
  { shown, browser, sig }: { shown: ShownError; browser: string; sig: string },
): boolean {
  return sig !== "" && secrets.checkMac("error-page", signedText(shown, browser), sig);
}

function signedText({ error, error_description, reference }: ShownError, browser: string): string {
  return JSON.stringify([error, error_description, reference, browser]);
}

/** Returns true if a path, with its query, is the error page's. */
export function isErrorPage(path: string): boolean {
  return path.startsWith(`${ERROR_PAGE}?`);
}
