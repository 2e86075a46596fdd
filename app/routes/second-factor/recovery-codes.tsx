import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { createFirstRecoveryCodes } from "#app/domain/second-factor/recovery-codes.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { recoveryCodesView } from "./recovery-codes-page.server.ts";
import { RecoveryCodesScreen } from "./recovery-codes-page.tsx";
import { requireOpenRequest } from "./verify-page.server.ts";

const FIELDS = ["_xsrf", "login_challenge", "mfa_token"];

const schema = z.object({
  _xsrf: z.string().default(""),
  login_challenge: z.string().default(""),
  mfa_token: z.string().default(""),
});

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  const view = await recoveryCodesView(context, request, { challenge });
  return data(view, view.status);
}

/** Makes the codes. They stand in this answer alone, so it is no redirect; sent again, the form makes no others. */
export async function action({ context, request }: ActionFunctionArgs) {
  const form = await readForm(request, schema, FIELDS);
  const posted = schema.parse(form.ok ? form.value : form.values);
  const { login_challenge: challenge, mfa_token: mfaToken } = posted;
  await requireOpenRequest(context, challenge);
  const isOwn = await isOwnLoginForm(context, posted._xsrf);
  const made = isOwn
    ? await orOverloaded(() => createFirstRecoveryCodes(context, { ...requestMetadata(context), mfaToken }))
    : ({ kind: "unauthorized" } as const);
  if (made.kind === "overloaded") throw refusal(503, "overloaded", OVERLOAD_HEADERS);
  const shown = made.kind === "made" ? { codes: made.codes } : { problem: { error: "xsrf" } as const };
  const view = await recoveryCodesView(context, request, { challenge, ...shown });
  return data(view, view.status);
}

export default function MfaRecoveryCodes() {
  const shown = useLoaderData<typeof loader>();
  const view = useActionData<typeof action>() ?? shown;
  return view && <RecoveryCodesScreen {...view} />;
}
