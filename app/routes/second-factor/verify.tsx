import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { finishSecondFactor, type SecondFactorFinish } from "#app/domain/second-factor/finish.server.ts";
import { openSecondFactor } from "#app/domain/second-factor/pending.server.ts";
import { type CodeVerdict, verifyCode } from "#app/domain/second-factor/verify-code.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { acceptLogin, rejectRequest } from "#app/oidc/answer-challenge.server.ts";
import { codeProblem, waitOf } from "./form-errors.server.ts";
import { requireOpenRequest, type StepProblem, secondFactorView } from "./verify-page.server.ts";
import { SecondFactorScreen } from "./verify-page.tsx";

const FIELDS = ["_xsrf", "login_challenge", "mfa_token", "method", "code", "cancel"];

const schema = z.object({
  _xsrf: z.string().default(""),
  login_challenge: z.string().default(""),
  mfa_token: z.string().default(""),
  method: z.string().default(""),
  code: z.string().optional(),
  cancel: z.string().optional(),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const query = new URL(request.url).searchParams;
  const challenge = query.get("login_challenge") ?? "";
  const view = await secondFactorView(context, request, { challenge, method: query.get("method") });
  return data(view, view.status);
}

/** Ends the step: with a code, or, after the JSON calls, with the token of a factor that was given. */
export function action({ context, request }: ActionFunctionArgs) {
  return context.store.withDeferredDurability(() => answerForm(context, request));
}

async function answerForm(context: LoadContext, request: Request) {
  const form = await readForm(request, schema, FIELDS);
  const posted = schema.parse(form.ok ? form.value : form.values);
  const { login_challenge: challenge, method } = posted;
  const again = async (problem: StepProblem, headers: Record<string, string> = {}) => {
    const view = await secondFactorView(context, request, { challenge, method, problem });
    return data(view, { status: view.status, headers });
  };

  const { uid } = await requireOpenRequest(context, challenge);
  if (!(await isOwnLoginForm(context, posted._xsrf))) return again({ error: "xsrf" });
  if (posted.cancel !== undefined) return redirect303(await rejectRequest(context, uid, CANCELLED));
  const given = await giveFactor(context, posted);
  if (given.kind === "overloaded") throw refusal(503, "overloaded", OVERLOAD_HEADERS);
  if (given.kind === "throttled") return again(...waitOf(given));
  if (given.kind !== "verified") return again(codeProblem(given));

  const outcome = await finishStep(context, { uid, mfaToken: given.mfaToken, hasCode: isCode(posted.code) });
  if (outcome.kind === "not verified") return again({ error: "invalid verification code", refusal: "missing" });
  if (outcome.kind !== "signed-in") return again({ error: "xsrf" });
  const { subject, authTime, signedInAt } = outcome;
  const session = await context.session();
  return redirect303(await acceptLogin(context, { uid, subject, authTime, signedInAt, session }));
}

const CANCELLED = { error: "access_denied", error_description: "the person ended the sign-in" };

/** How often a page that is rendered at the same moment may replace the token before the step is given up. */
const MAX_REPLACEMENTS = 8;

/**
 * Ends the step. A parallel request of the same form, whose code comes too late, renders the page anew and replaces the
 * token: the request whose code was right goes on with the new one.
 */
async function finishStep(
  context: LoadContext,
  { uid, hasCode, ...first }: { uid: string; mfaToken: string; hasCode: boolean },
): Promise<SecondFactorFinish> {
  let { mfaToken } = first;
  for (let replaced = 0; ; replaced += 1) {
    const outcome = await finishSecondFactor(context, { ...requestMetadata(context), uid, mfaToken });
    if (outcome.kind !== "unauthorized" || !hasCode || replaced === MAX_REPLACEMENTS) return outcome;
    const opened = await openSecondFactor(context, { uid, browser: context.browser });
    if (!opened?.pending.verified.length) return outcome;
    mfaToken = opened.mfaToken;
  }
}

function isCode(code: string | undefined): code is string {
  return code !== undefined && code.trim() !== "";
}

/** Without a code, the token speaks for itself: `finishSecondFactor` looks at it. */
async function giveFactor(
  context: LoadContext,
  { code, mfa_token: mfaToken }: z.infer<typeof schema>,
): Promise<CodeVerdict | { kind: "overloaded" }> {
  if (!isCode(code)) return { kind: "verified", mfaToken };
  return orOverloaded(() => verifyCode(context, { ...requestMetadata(context), mfaToken, code }));
}

/** How long to wait, where an attempt was not heard. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function MfaVerify() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  return view && <SecondFactorScreen {...view} />;
}
