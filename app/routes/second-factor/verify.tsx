import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { finishSecondFactor, type SecondFactorFinish } from "#app/domain/second-factor/finish.server.ts";
import { openSecondFactor } from "#app/domain/second-factor/pending.server.ts";
import { type CodeResult, verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { deviceCookie } from "#app/http/cookies.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orOverloaded, orUnavailable } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { rememberUsername } from "#app/http/remembered-username.server.ts";
import { actionHeaders, redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { acceptLogin, rejectRequest } from "#app/oidc/interaction-result.server.ts";
import {
  codeProblem,
  loadVerifyPage,
  requireOpenRequest,
  type StepProblem,
  throttledProblem,
} from "./second-factor.server.ts";
import { loadUnavailableStep } from "./unavailable-step.server.ts";
import { VerifyPage } from "./verify-page.tsx";

const verifyForm = defineForm({
  login_challenge: text(),
  mfa_token: text(),
  method: text(),
  code: z.string().optional(),
  remember_device: z.string().optional(),
  cancel: z.string().optional(),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const query = new URL(request.url).searchParams;
  const challenge = query.get("login_challenge") ?? "";
  return respondWith(loadVerifyPage(context, request, { challenge, method: query.get("method") }));
}

/** Completes the step with a code or, after the JSON calls, with the token of a verified factor. */
export async function action({ context, request }: ActionFunctionArgs) {
  const posted = await readForm(request, verifyForm);
  return orUnavailable(context, request, {
    work: () => context.store.withDeferredDurability(() => handleForm(context, request, posted)),
    fallback: () => respondWith(loadUnavailableStep(context, request, posted), OVERLOAD_HEADERS),
  });
}

async function handleForm(context: LoadContext, request: Request, posted: z.output<(typeof verifyForm)["schema"]>) {
  const { login_challenge: challenge, method } = posted;
  const remembersDevice = posted.remember_device !== undefined;
  const showAgain = (problem: StepProblem, headers: Record<string, string> = {}) =>
    respondWith(loadVerifyPage(context, request, { challenge, method, problem, remembersDevice }), headers);

  const { uid, demandsFreshFactor } = await requireOpenRequest(context, challenge);
  if (!(await isOwnLoginForm(context, posted._xsrf))) return showAgain({ error: "xsrf" });
  if (posted.cancel !== undefined) return redirect303(await rejectRequest(context, uid, CANCELLED));
  const result = await verifyFactor(context, posted);
  if (result.kind === "overloaded") return showAgain({ error: "overloaded" }, OVERLOAD_HEADERS);
  if (result.kind === "throttled") return showAgain(...throttledProblem(result));
  if (result.kind !== "verified") return showAgain(codeProblem(result));

  const outcome = await finishStep(context, {
    uid,
    mfaToken: result.mfaToken,
    hasCode: isCode(posted.code),
    remembersDevice: remembersDevice && !demandsFreshFactor,
  });
  if (outcome.kind === "not verified") return showAgain({ error: "invalid verification code", refusal: "missing" });
  if (outcome.kind !== "signed-in") return showAgain({ error: "xsrf" });
  const { subject, authTime, signedInAt, sessionUid, device, typedUsername: typed } = outcome;
  const session = await context.session();
  const url = await acceptLogin(context, { uid, subject, authTime, signedInAt, sessionUid, session });
  const headers = await rememberUsername(context, { typed, ...subject });
  if (device !== null) {
    const cookie = deviceCookie(subject.userId, device.maxAgeSeconds).keep(context.config, device.token);
    headers.push(["Set-Cookie", cookie]);
  }
  return redirect303(url, headers);
}

const CANCELLED = { error: "access_denied", error_description: "the user cancelled the sign-in" };

/** Verifies the code. Without a code, `finishSecondFactor` checks that a factor of this token was verified. */
async function verifyFactor(
  context: LoadContext,
  { code, mfa_token: mfaToken }: { code?: string | undefined; mfa_token: string },
): Promise<CodeResult | { kind: "overloaded" }> {
  if (!isCode(code)) return { kind: "verified", mfaToken };
  return orOverloaded(() => verifyCode(context, { ...requestMetadata(context), mfaToken, code }));
}

function isCode(code: string | undefined): code is string {
  return code !== undefined && code.trim() !== "";
}

/** Maximum number of times that a concurrent request may replace the mfa_token before the step is rejected. */
const MAX_REPLACEMENTS = 8;

type StepToFinish = { uid: string; mfaToken: string; hasCode: boolean; remembersDevice: boolean };

/**
 * Finishes the step. A concurrent request of the same form whose code was already used renders the page again and
 * replaces the mfa_token; the request with the accepted code then continues with the new token.
 */
async function finishStep(
  context: LoadContext,
  { uid, hasCode, remembersDevice, ...first }: StepToFinish,
): Promise<SecondFactorFinish> {
  let { mfaToken } = first;
  for (let replaced = 0; ; replaced += 1) {
    const outcome = await finishSecondFactor(context, { ...requestMetadata(context), uid, mfaToken, remembersDevice });
    if (outcome.kind !== "unauthorized" || !hasCode || replaced === MAX_REPLACEMENTS) return outcome;
    const opened = await openSecondFactor(context, { uid, browser: context.browser });
    if (!opened?.pending.verified.length) return outcome;
    mfaToken = opened.mfaToken;
  }
}

export const headers = actionHeaders;

export default function MfaVerify() {
  const loaded = useLoaderData<typeof loader>();
  const page = useActionData<typeof action>() ?? loaded;
  return page && <VerifyPage {...page} />;
}
