import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import {
  type FinishForm,
  finishSecondFactor,
  type SecondFactorFinish,
} from "#app/domain/second-factor/finish.server.ts";
import { type CodeSignIn, signInWithCode } from "#app/domain/second-factor/verify-code.server.ts";
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
import { usePage } from "#app/ui/use-page.ts";
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

  const { uid, interaction, demandsFreshFactor } = await requireOpenRequest(context, challenge);
  if (!(await isOwnLoginForm(context, posted._xsrf))) return showAgain({ error: "xsrf" });
  if (posted.cancel !== undefined) return redirect303(await rejectRequest(context, interaction, CANCELLED));
  const form = {
    ...{ ...requestMetadata(context), uid, mfaToken: posted.mfa_token },
    remembersDevice: remembersDevice && !demandsFreshFactor,
  };
  const outcome = await finishStep(context, form, posted.code ?? "");
  if (outcome.kind === "overloaded") return showAgain({ error: "overloaded" }, OVERLOAD_HEADERS);
  if (outcome.kind === "throttled") return showAgain(...throttledProblem(outcome));
  if (outcome.kind === "not verified") return showAgain({ error: "invalid verification code", refusal: "missing" });
  if (outcome.kind !== "signed-in") return showAgain(codeProblem(outcome));
  const { subject, authTime, signedInAt, sessionUid, device, typedUsername: typed } = outcome;
  const session = await context.session();
  const url = await acceptLogin(context, { interaction, subject, authTime, signedInAt, sessionUid, session });
  const headers = await rememberUsername(context, { typed, ...subject });
  if (device !== null) {
    const cookie = deviceCookie(subject.userId, device.maxAgeSeconds).keep(context.config, device.token);
    headers.push(["Set-Cookie", cookie]);
  }
  return redirect303(url, headers);
}

const CANCELLED = { error: "access_denied", error_description: "the user cancelled the sign-in" };

/** Signs in with the code. Without a code, a factor of this token must have been verified by a JSON call. */
async function finishStep(
  context: LoadContext,
  form: FinishForm,
  code: string,
): Promise<CodeSignIn | SecondFactorFinish | { kind: "overloaded" }> {
  if (code.trim() === "") return finishSecondFactor(context, form);
  return orOverloaded(() => signInWithCode(context, { ...form, code }));
}

export const headers = actionHeaders;

export default function MfaVerify() {
  return <VerifyPage {...usePage<typeof loader, typeof action>()} />;
}
