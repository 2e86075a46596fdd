import type { LoaderFunctionArgs } from "@remix-run/node";
import { refusal } from "#app/http/refusal.server.ts";

/**
 * Responds with the pages on which users add and manage passkeys, for password managers (W3C, A Well-Known URL for
 * Relying Party Passkey Endpoints); 404 if PASSKEYS is off.
 */
export function loader({ context }: LoaderFunctionArgs) {
  const { issuer, passkeys } = context.config;
  if (!passkeys) throw refusal(404, "page_not_found");
  const urlOf = (path: string) => new URL(`/manage/open?${new URLSearchParams({ to: path })}`, issuer).href;
  return Response.json({ enroll: urlOf("/manage/mfa/register-passkey"), manage: urlOf("/manage/mfa") });
}
