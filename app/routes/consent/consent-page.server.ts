import { z } from "zod";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { issueFormToken } from "#app/http/own-form.server.ts";
import { clientLabel, type PageView, textsOf } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import { type Challenge, findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { findErrorRedirect, readConsentRequest } from "#app/oidc/consent-request.server.ts";
import { restartRequest } from "#app/oidc/restart.server.ts";
import { sealChallenge } from "#app/oidc/seal.server.ts";
import type { ConsentState } from "#app/ui/page-state.ts";
import { type ConsentPageProps, consentTitle } from "./consent-page.tsx";

/** The form of /consent/accept and /consent/reject. */
export const consentForm = defineForm({ consent_challenge: text(), scopes: z.array(z.string()).default([]) });

type ConsentInput = { challenge: string; error?: ConsentState["error"] };

/**
 * Loads the page of a consent request in each of its states.
 * @throws a redirect if the request can be started again immediately
 */
export async function loadConsentPage(
  context: LoadContext,
  request: Request,
  input: ConsentInput,
): Promise<PageView<ConsentState, ConsentPageProps>> {
  const { challenge } = input;
  const found = await findChallenge(context, { kind: "consent", challenge, browser: context.browser });
  const subject = await findSubjectOfSession(context, await context.session());
  const opened =
    found.kind === "open" && subject && found.request.sessionAccountId === subject.userId
      ? await loadOpenRequest(context, found.request, { ...input, subject })
      : null;
  const content = opened ?? (await loadClosedRequest(context, request, { found, subject, challenge }));
  const state: ConsentState = {
    ...content.state,
    consent_challenge: challenge,
    xsrf_token: await issueFormToken(context),
  };
  const title = consentTitle(await textsOf(context, request), state);
  return { ...content, appUrl: context.config.appUrl, status: htmlStatus(state.error), state, title };
}

type Content = Pick<ConsentPageProps, "client" | "accountName" | "redirectHost" | "restartChallenge"> & {
  state: Omit<ConsentState, "consent_challenge" | "xsrf_token">;
};

/** Loads the content for an open request. */
async function loadOpenRequest(
  context: LoadContext,
  open: OpenRequest,
  { subject, error }: ConsentInput & { subject: Subject },
): Promise<Content> {
  context.allowFormsToLeave();
  const consent = readConsentRequest(open.interaction);
  const isInvalid = consent.refusedScopes.length > 0;
  const link = isInvalid ? await findErrorRedirect(context, open.interaction, "invalid_scope") : null;
  return {
    client: clientLabel(open.client),
    accountName: subject.displayName,
    redirectHost: new URL(open.redirectUri).host || null,
    state: {
      client: { name: open.client.name, policy_uri: open.client.policyUri },
      scopes: isInvalid ? [] : consent.scopes.map((id) => ({ id })),
      ...(link ? { redirect_uri: link } : {}),
      ...(isInvalid ? { error: "invalid-scope-requested" } : error ? { error } : {}),
    },
  };
}

/** Redirects a user who returns to an accepted request to the page of the completed sign-in. */
function redirectToResult(context: LoadContext, found: Challenge): void {
  if (found.kind !== "closed" || found.reason !== "used" || found.rejected) return;
  const login_challenge = sealChallenge(context.secrets, { kind: "login", uid: found.uid, browser: context.browser });
  throw redirect303(`/login?${new URLSearchParams({ login_challenge })}`);
}

/** Loads the content for a request that is not open or belongs to another user. Shows nothing of the request. */
async function loadClosedRequest(
  context: LoadContext,
  request: Request,
  { found, subject, challenge }: { found: Challenge; subject: Subject | null; challenge: string },
): Promise<Content> {
  if (request.method === "GET" && subject) redirectToResult(context, found);
  if (found.kind === "closed" && found.rejected && subject) return rejectedContent(found);
  const kept = found.kind === "missing" ? null : found.kept;
  const isForeign = found.kind === "closed" && found.reason === "foreign";
  if (subject && kept && !isForeign) {
    const location = await restartRequest(context, { kept, loginHint: null });
    if (location) throw redirect303(location);
  }
  const canRestart = kept !== null && !kept.used;
  return {
    client: null,
    accountName: null,
    redirectHost: null,
    restartChallenge: canRestart ? challenge : null,
    state: { client: null, scopes: [], error: "challenge" },
  };
}

/** The content for a rejected request, which is not started again. */
function rejectedContent({ client }: Extract<Challenge, { kind: "closed" }>): Content {
  return {
    client: clientLabel(client),
    accountName: null,
    redirectHost: null,
    state: { client: client && { name: client.name, policy_uri: client.policyUri }, scopes: [], status: "rejected" },
  };
}
