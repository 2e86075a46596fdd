import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { type SignIn, signInWithPassword } from "#app/domain/sign-in/with-password.server.ts";
import { LOGIN_NAME_MAX_LENGTH } from "#app/domain/username/login-name.ts";
import { passkeyDeviceCookie } from "#app/http/cookies.server.ts";
import { defineForm, errorCodes, required, text } from "#app/http/define-form.server.ts";
import { isLanguageChange, readSubmission } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orOverloaded, orUnavailable } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { forgetUsername, rememberUsername } from "#app/http/remembered-username.server.ts";
import { actionHeaders, redirect303, respondWith, throttledDetails } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { challengeParameter } from "#app/http/sign-in-request.server.ts";
import { dropTypedUsername, keepTypedUsername } from "#app/http/typed-username.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { acceptLogin } from "#app/oidc/interaction-result.server.ts";
import { otherAccountHref, resetHref } from "#app/ui/sign-in-request.ts";
import { usePage } from "#app/ui/use-page.ts";
import { loadLoginPage, respondWithLoginPage } from "./login-page.server.ts";
import { LoginPage } from "./login-page.tsx";
import { loadUnavailableForm } from "./unavailable-form.server.ts";

const signInForm = defineForm({
  login_challenge: text(),
  forget: text(),
  next_form: text(),
  passkey_device: text(),
  username: required("username is empty"),
  password: required("empty-password"),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  const otherAccount = new URL(request.url).searchParams.get("proceed") === "0";
  return respondWithLoginPage(context, request, otherAccount);
}

export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readSubmission(request, signInForm);
  return orUnavailable(context, request, {
    work: () => context.store.withDeferredDurability(() => handleForm(context, request, form)),
    fallback: () => respondWith(loadUnavailableForm(context, request, form.posted), OVERLOAD_HEADERS),
  });
}

type PostedForm = Awaited<ReturnType<typeof readSubmission<(typeof signInForm)["schema"]>>>;

async function handleForm(context: LoadContext, request: Request, { submission, posted }: PostedForm) {
  const challenge = posted("login_challenge") || challengeParameter(request);
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  const showAgain = async (errors: ErrorCode[], details: { waitMinutes?: number } = {}, headers: HeadersInit = {}) => {
    const problem = { errors, username: posted("username"), ...details };
    return respondWith(loadLoginPage(context, request, { challenge, found, otherAccount: true, problem }), headers);
  };

  if (isLanguageChange(request) || posted("next_form") === "sign-in") {
    const username = posted("username").slice(0, LOGIN_NAME_MAX_LENGTH);
    return respondWith(loadLoginPage(context, request, { challenge, found, otherAccount: true, username }));
  }
  if (posted("next_form") === "reset") {
    const kept =
      found.kind === "open" ? await keepTypedUsername(context, { username: posted("username"), challenge }) : [];
    return redirect303(resetHref(challenge), kept);
  }
  if (found.kind !== "open") return showAgain(["challenge"]);
  if (!(await isOwnLoginForm(context, posted("_xsrf")))) return showAgain(["xsrf"]);
  if (posted("forget") !== "") {
    return redirect303(otherAccountHref(challenge), [...forgetUsername(context), ...dropTypedUsername(context)]);
  }
  if (submission.status !== "success") return showAgain(errorCodes(submission));

  const outcome = await signIn(context, found.request, submission.value);
  const device = posted("passkey_device") === "yes" ? keepPasskeyDevice(context) : [];
  switch (outcome.kind) {
    case "signed-in": {
      const { interaction } = found.request;
      const session = await context.session();
      const { subject } = outcome;
      const location = await acceptLogin(context, { interaction, subject, session });
      const remembered = await rememberUsername(context, { typed: posted("username"), ...subject });
      return redirect303(location, [...remembered, ...device]);
    }
    case "second-factor-required":
      return redirect303(`/mfa/verify?${new URLSearchParams({ login_challenge: challenge })}`, device);
    case "throttled":
      return showAgain(["throttled"], ...throttledDetails(outcome));
    case "overloaded":
      return showAgain(["overloaded"], {}, OVERLOAD_HEADERS);
    default:
      return showAgain(["credentials"]);
  }
}

/** Returns the header with which this browser keeps that its device can keep a passkey, for the rest of the sign-in. */
function keepPasskeyDevice({ config }: LoadContext): [name: string, value: string][] {
  return config.passkeys ? [["Set-Cookie", passkeyDeviceCookie.keep(config, "yes")]] : [];
}

function signIn(
  context: LoadContext,
  open: OpenRequest,
  { username, password }: { username: string; password: string },
): Promise<SignIn | { kind: "overloaded" }> {
  const { uid, client, demandsMfa, demandsFreshFactor } = open;
  const deviceTokenOf = demandsFreshFactor ? undefined : context.deviceTokenOf;
  const input = { ...requestMetadata(context), uid, clientId: client.id, demandsMfa, deviceTokenOf };
  return orOverloaded(() => signInWithPassword(context, { username, password, ...input }));
}

export const headers = actionHeaders;

export default function LoginNative() {
  return <LoginPage {...usePage<typeof loader, typeof action>()} />;
}
