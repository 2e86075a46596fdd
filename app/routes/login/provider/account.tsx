import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { chooseAccount } from "#app/domain/external-account/selection.server.ts";
import { goOn, outcomeHref, requireProvider, signInMetadata } from "#app/http/external-sign-in.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { findChallenge } from "#app/oidc/challenges.server.ts";
import { LoginScreen } from "#app/routes/login/login-page.tsx";
import type { AccountSelectionError } from "#app/ui/page-state.ts";
import { externalAccountView } from "./account-page.server.ts";
import { SelectAccountScreen } from "./account-page.tsx";

const FIELDS = ["_xsrf", "login_challenge", "token", "username"];

const schema = z.object({
  _xsrf: z.string().default(""),
  login_challenge: z.string().default(""),
  token: z.string().default(""),
  username: z.string().default(""),
});

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  if (context.isPosted) return null;
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  const view = await externalAccountView(context, request, { provider, challenge });
  return data(view, view.status);
}

/** Goes on with the account that was chosen; `username` carries its id. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const provider = requireProvider(context, params["provider"]);
  const form = await readForm(request, schema, FIELDS);
  const {
    _xsrf,
    login_challenge: challenge,
    token,
    username: userId,
  } = schema.parse(form.ok ? form.value : form.values);
  const again = async (error: AccountSelectionError) => {
    const view = await externalAccountView(context, request, { provider, challenge, error });
    return data(view, Math.max(400, view.status));
  };
  const found = await findChallenge(context, { kind: "login", challenge, browser: context.browser });
  if (found.kind !== "open") return again("bad request");
  if (!(await isOwnLoginForm(context, _xsrf))) return again("xsrf");
  if (userId === "") return again("bad request");
  const facts = signInMetadata(context, found.request);
  const chosen = await chooseAccount(context, { ...facts, provider, token, userId });
  if (chosen.kind === "expired") return again("xsrf");
  if (chosen.kind === "not recent") return redirect303(outcomeHref(provider, challenge));
  const location = await goOn(context, chosen, { open: found.request, challenge });
  return location === null ? again("credentials") : redirect303(location);
}

export default function ProviderAccount() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  if (!view) return null;
  return view.page === "select" ? <SelectAccountScreen {...view} /> : <LoginScreen {...view} />;
}
