import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { type SignIn, signInWithPassword } from "#app/domain/sign-in/with-password.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { acceptLogin } from "#app/oidc/answer-challenge.server.ts";
import { findChallenge, type OpenRequest } from "#app/oidc/challenges.server.ts";
import { type LoginProblem, loginView } from "./login-page.server.ts";
import { LoginScreen } from "./login-page.tsx";

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
  const view = await loginView(context, request, {
    challenge,
    otherAccount: query.get("proceed") === "0",
    username: query.get("username")?.slice(0, 64) ?? null,
  });
  return data(view, view.status);
}

export function action({ context, request }: ActionFunctionArgs) {
  return context.store.withDeferredDurability(() => answerForm(context, request));
}

async function answerForm(context: LoadContext, request: Request) {
  const form = await readForm(request, schema, FIELDS);
  const { _xsrf, login_challenge: challenge, username, password } = schema.parse(form.ok ? form.value : form.values);
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  const again = async (problem: Omit<LoginProblem, "username">, headers: Record<string, string> = {}) => {
    const view = await loginView(context, request, {
      challenge,
      found,
      otherAccount: true,
      problem: { ...problem, username },
    });
    return data(view, { status: view.status, headers });
  };

  if (found.kind !== "open") return again({ error: "challenge" });
  if (!(await isOwnLoginForm(context, _xsrf))) return again({ error: "xsrf" });
  if (username === "") return again({ error: "username is empty", missing: missingFields({ username, password }) });
  if (password === "") return again({ error: "empty-password" });

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
      return again(
        { error: "throttled", waitMinutes: Math.ceil(outcome.retryAfterSeconds / 60) },
        { "Retry-After": String(outcome.retryAfterSeconds) },
      );
    case "overloaded":
      return again({ error: "overloaded" }, OVERLOAD_HEADERS);
    default:
      return again({ error: "credentials" });
  }
}

type Typed = { username: string; password: string };

function missingFields({ username, password }: Typed): ("username" | "password")[] {
  return [...(username === "" ? (["username"] as const) : []), ...(password === "" ? (["password"] as const) : [])];
}

function signIn(context: LoadContext, open: OpenRequest, typed: Typed): Promise<SignIn | { kind: "overloaded" }> {
  const { browser, address, userAgent, requestId } = context;
  const facts = { browser, address, userAgent, requestId, clientId: open.client.id };
  return orOverloaded(() =>
    signInWithPassword(context, { ...typed, ...facts, uid: open.uid, demandsMfa: open.demandsMfa }),
  );
}

/** How long to wait, where an attempt was not heard. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function LoginNative() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  return view && <LoginScreen {...view} />;
}
