import { type ErrorOut, errors, type KoaContextWithOIDC } from "oidc-provider";
import { MAX_QUOTED_CODE, quotedText } from "#app/domain/quoted-text.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { findUsedPage, type ResumeDeps, ResumeRefused } from "./resume.server.ts";

/** Routes that a person's browser opens; all others answer a program, whatever it accepts. */
const PAGE_ROUTES = new Set(["authorization", "resume", "end_session", "end_session_confirm", "end_session_success"]);

/** The page of the engine's refusals. */
const ERROR_PAGE = "/error";

/** Longest description of the engine that the error page shows, in characters. */
const MAX_DESCRIPTION = 200;

/** What the error page shows. */
export type ShownError = { error: string | null; error_description: string | null };

/**
 * Answers an engine error that must not go back to the application: a page for a browser, JSON for a program. A defect
 * that a person meets is thrown again: its page says so, under the reference that leads to its cause. RFC 6749 section
 * 4.1.2.1. The address of the page is signed for this browser: only then are its words shown as those of this server.
 */
export async function renderError(
  deps: ResumeDeps,
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  error: Error,
): Promise<void> {
  if (!PAGE_ROUTES.has(ctx.oidc.route)) {
    ctx.type = "json";
    ctx.body = out;
    return;
  }
  if (out.error === "server_error") throw error;
  ctx.status = 303;
  ctx.redirect((await findResumePage(deps, ctx, error)) ?? errorPage(deps, ctx, out));
}

/** Where a request goes that is to resume an interaction and cannot; null where the error page is all there is. */
async function findResumePage(deps: ResumeDeps, ctx: KoaContextWithOIDC, error: Error): Promise<string | null> {
  if (error instanceof ResumeRefused) return error.location;
  if (ctx.oidc.route !== "resume" || !(error instanceof errors.SessionNotFound)) return null;
  return findUsedPage(deps, ctx, ctx.path.split("/").at(-1) ?? "");
}

function errorPage({ secrets, browserOf }: ResumeDeps, ctx: KoaContextWithOIDC, out: ErrorOut): string {
  const shown = {
    error: quotedText(out.error, MAX_QUOTED_CODE),
    error_description: quotedText(out.error_description ?? "", MAX_DESCRIPTION) || null,
  };
  const query = new URLSearchParams({ error: shown.error });
  if (shown.error_description) query.set("error_description", shown.error_description);
  query.set("sig", secrets.mac("error-page", signedText(shown, browserOf(ctx.req))));
  return `${ERROR_PAGE}?${query}`;
}

/** Whether the engine wrote these values for this browser, `sig` being the parameter of the error page's address. */
export function isEngineError(
  secrets: Pick<Secrets, "checkMac">,
  { shown, browser, sig }: { shown: ShownError; browser: string; sig: string },
): boolean {
  return sig !== "" && secrets.checkMac("error-page", signedText(shown, browser), sig);
}

function signedText({ error, error_description }: ShownError, browser: string): string {
  return JSON.stringify([error, error_description, browser]);
}

/** Whether the engine has answered with its error page. `path` is an address of ours without its origin. */
export function isErrorPage(path: string): boolean {
  return path.startsWith(`${ERROR_PAGE}?`);
}
