import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { findFactorReset } from "#app/domain/factor-reset/link.server.ts";
import { factorResetCookie, isLinkToken } from "#app/http/link-cookie.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { factorResetView, resetStatusUrl } from "./page-data.server.ts";
import { FactorResetFormScreen } from "./reset-form-page.tsx";

/** Looks, and uses nothing up: programs that check mails for dangerous links open them too. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { config } = context;
  const token = new URL(request.url).searchParams.get("reset_token");
  if (token !== null) {
    if (!isLinkToken(token)) return redirect303(resetStatusUrl("error-token"));
    const { kind } = await findFactorReset(context, token);
    if (kind === "error-token") return redirect303(resetStatusUrl(kind));
    // A link that is too early is kept too: its page states from when until when the link works.
    const keep = { "Set-Cookie": factorResetCookie.keep(config, token) };
    return redirect303(kind === "too-early" ? resetStatusUrl(kind) : "/mfa-reset/reset-form", keep);
  }
  const view = await factorResetView(context, request, { resetToken: factorResetCookie.read(config, request) });
  return data(view, view.status);
}

export default function FactorResetForm() {
  return <FactorResetFormScreen {...useLoaderData<typeof loader>()} />;
}
