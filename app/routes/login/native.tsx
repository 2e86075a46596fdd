import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { type SignIn, signInWithPassword } from "#app/domain/sign-in/with-password.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { acceptLogin } from "#app/oidc/interaction-result.server.ts";
import { type LoginProblem, loadLoginPage } from "./login-page.server.ts";
import { LoginPage } from "./login-page.tsx";

const FIELDS = ["_xsrf", "login_challenge", "username", "password"];

const schema = z.object({
  _xsrf: z.string().default(""),
  login_challenge: z.string().default(""),
  username: z.string().default(""),
  password: z.string().default(""),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const query = new URL(request.url).searchParams;
  const challenge = query.get("login_challenge") ?? "";
  const page = await loadLoginPage(context, request, {
    challenge,
    otherAccount: query.get("proceed") === "0",
    username: query.get("username")?.slice(0, 64) ?? null,
  });
  return data(page, page.status);
}

export function action({ context, request }: ActionFunctionArgs) {
  return context.store.withDeferredDurability(() => handleForm(context, request));
}

async function handleForm(context: LoadContext, request: Request) {
  const form = await readForm(request, schema, FIELDS);
  const { _xsrf, login_challenge: challenge, username, password } = schema.parse(form.ok ? form.value : form.values);
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  const showAgain = async (problem: Omit<LoginProblem, "username">, headers: Record<string, string> = {}) => {
    const page = await loadLoginPage(context, request, {
      challenge,
      found,
      otherAccount: true,
      problem: { ...problem, username },
    });
    return data(page, { status: page.status, headers });
  };

  if (found.kind !== "open") return showAgain({ error: "challenge" });
  if (!(await isOwnLoginForm(context, _xsrf))) return showAgain({ error: "xsrf" });
  if (username === "") return showAgain({ error: "username is empty", missing: missingFields({ username, password }) });
  if (password === "") return showAgain({ error: "empty-password" });

  const outcome = await signIn(context, found.request, { username, password });
  switch (outcome.kind) {
    case "signed-in": {
      const { uid } = found.request;
      const session = await context.session();
      return redirect303(await acceptLogin(context, { uid, subject: outcome.subject, session }));
    }
    case "second-factor-required":
      return redirect303(`/mfa/verify?${new URLSearchParams({ login_challenge: challenge })}`);
    case "throttled":
      return showAgain(
        { error: "throttled", waitMinutes: Math.ceil(outcome.retryAfterSeconds / 60) },
        { "Retry-After": String(outcome.retryAfterSeconds) },
      );
    case "overloaded":
      return showAgain({ error: "overloaded" }, OVERLOAD_HEADERS);
    default:
      return showAgain({ error: "credentials" });
  }
}

type Credentials = { username: string; password: string };

function missingFields({ username, password }: Credentials): ("username" | "password")[] {
  return [...(username === "" ? (["username"] as const) : []), ...(password === "" ? (["password"] as const) : [])];
}

function signIn(
  context: LoadContext,
  open: OpenRequest,
  credentials: Credentials,
): Promise<SignIn | { kind: "overloaded" }> {
  const { browser, address, userAgent, requestId } = context;
  const metadata = { browser, address, userAgent, requestId, clientId: open.client.id };
  return orOverloaded(() =>
    signInWithPassword(context, { ...credentials, ...metadata, uid: open.uid, demandsMfa: open.demandsMfa }),
  );
}

/** Forwards `Retry-After`. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function LoginNative() {
  const loaded = useLoaderData<typeof loader>();
  const page = useActionData<typeof action>() ?? loaded;
  return page && <LoginPage {...page} />;
}
