import type { Request, RequestHandler, Response } from "express";
import type { AppContext } from "#app/context.server.ts";
import { issueConfirmation } from "#app/domain/access/confirmation.server.ts";
import type { SettingsGrant } from "#app/domain/access/grant.server.ts";
import { openPageSession } from "#app/domain/access/page-session.server.ts";
import { consumeSettingsToken, findSettingsLink } from "#app/domain/access/token.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import { settingsConfirmCookie, settingsCookie } from "#app/http/cookies.server.ts";
import { isSettingsPage } from "./engine-paths.server.ts";
import { requestState } from "./request-state.server.ts";

const PARAMETER = "t";
const UNAUTHORIZED_URL = "/manage/error/unauthorized";
const OPENING_URL = "/manage/opening";

/**
 * Consumes the one-time token that opens the settings, and redirects to the same URL without it. An administrator's link
 * stays unused until the form at /manage/opening is posted, because chat previews and mail scanners open links. Not a
 * loader, because loaders run in parallel and only one of them would get the token.
 */
export function openSettingsLinks(context: AppContext): RequestHandler {
  return (request, response, next) => {
    const url = new URL(request.originalUrl, context.config.issuer);
    if (request.method !== "GET" || !isSettingsPage(url.pathname) || !url.searchParams.has(PARAMETER)) return next();
    open(context, request, response, url)
      .then(({ location, cookies = [] }) => {
        for (const cookie of cookies) response.append("Set-Cookie", cookie);
        response.status(303).set("Location", location).end();
      })
      .catch(next);
  };
}

type Opening = { location: string; cookies?: string[] };

async function open(context: AppContext, request: Request, response: Response, url: URL): Promise<Opening> {
  const { config } = context;
  const { browser, address, requestId } = requestState(response);
  const metadata = { browser, address, requestId, userAgent: request.get("user-agent") ?? "" };
  const tokens = url.searchParams.getAll(PARAMETER);
  const token = tokens.length === 1 ? (tokens[0] ?? "") : "";
  const link = await findSettingsLink(context, token);
  const grant = link ?? (await consumeSettingsToken(context, token));
  const visitor = grant ? await visitorOf(context, request, response, grant) : null;
  if (!grant || visitor === "other") {
    await refuse(context, metadata, grant);
    return { location: UNAUTHORIZED_URL };
  }
  const to = withoutToken(url);
  // The page session belongs to this browser's session, not to the one that requested the token.
  const ownGrant = visitor ? { ...grant, sessionUid: visitor.sessionUid } : grant;
  if (link || visitor === null) {
    const confirmation = { browser, to, link: link && token };
    const confirmationToken = await issueConfirmation(context, ownGrant, confirmation);
    return { location: OPENING_URL, cookies: [settingsConfirmCookie.keep(config, confirmationToken)] };
  }
  const replaced = settingsCookie.read(config, request.headers.cookie);
  const opened = await openPageSession(context, ownGrant, { ...metadata, replaced });
  return { location: to, cookies: [settingsCookie.keep(config, opened)] };
}

/** Returns the session of the expected user, "other" for another user, null if no user is signed in. */
async function visitorOf(
  context: AppContext,
  request: Request,
  response: Response,
  { userId }: SettingsGrant,
): Promise<{ sessionUid: string } | "other" | null> {
  const state = requestState(response);
  state.session ??= context.oidc.session(request, response);
  const session = await state.session;
  if (!session?.accountId) return null;
  if (session.accountId !== userId) return "other";
  return (await findSubjectOfSession(context, session)) ? { sessionUid: session.uid } : null;
}

type AuditMetadata = { address: string; requestId: string; userAgent: string };

async function refuse(context: AppContext, metadata: AuditMetadata, grant: SettingsGrant | null): Promise<void> {
  const { address, requestId, userAgent } = metadata;
  const reason = grant ? "other person" : "token";
  const event = { type: "settings.refused", outcome: "refused", userId: grant?.userId ?? null, reason } as const;
  await recordEvent(context, { ...event, address, requestId, userAgent });
}

function withoutToken(url: URL): string {
  const query = new URLSearchParams(url.searchParams);
  query.delete(PARAMETER);
  const text = query.toString();
  return text === "" ? url.pathname : `${url.pathname}?${text}`;
}
