import { type ErrorOut, errors, type KoaContextWithOIDC } from "oidc-provider";
import { findUsedPage, type ResumeDeps, ResumeRefused } from "./resume.server.ts";

/** Routes that a person's browser opens; all others answer a program, whatever it accepts. */
const PAGE_ROUTES = new Set(["authorization", "resume", "end_session", "end_session_confirm", "end_session_success"]);

/** The page of the engine's refusals. */
const ERROR_PAGE = "/error";

/** Longest value of `error` and `error_description` that the error page is given, in characters. */
const MAX_VALUE_LENGTH = 200;

/**
 * Answers an engine error that must not go back to the application: a page for a browser, JSON for a program. A defect
 * that a person meets is thrown again: its page says so, under the reference that leads to its cause. RFC 6749 section
 * 4.1.2.1.
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
  ctx.redirect((await findResumePage(deps, ctx, error)) ?? errorPage(out));
}

/** Where a request goes that is to resume an interaction and cannot; null where the error page is all there is. */
async function findResumePage(deps: ResumeDeps, ctx: KoaContextWithOIDC, error: Error): Promise<string | null> {
  if (error instanceof ResumeRefused) return error.location;
  if (ctx.oidc.route !== "resume" || !(error instanceof errors.SessionNotFound)) return null;
  return findUsedPage(deps, ctx, ctx.path.split("/").at(-1) ?? "");
}

function errorPage(out: ErrorOut): string {
  const query = new URLSearchParams({ error: out.error.slice(0, MAX_VALUE_LENGTH) });
  if (out.error_description) query.set("error_description", out.error_description.slice(0, MAX_VALUE_LENGTH));
  return `${ERROR_PAGE}?${query}`;
}

/** Whether the engine has answered with its error page. `path` is an address of ours without its origin. */
export function isErrorPage(path: string): boolean {
  return path.startsWith(`${ERROR_PAGE}?`);
}
