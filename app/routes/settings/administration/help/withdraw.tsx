import type { ActionFunctionArgs } from "@remix-run/node";
import { withdrawHelp } from "#app/domain/help-link/withdraw.server.ts";
import { requireAdministration } from "#app/http/administration.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";

const withdrawForm = defineForm({});

/** Redirects a GET to the person's page, because a GET must not change anything (RFC 9110 §9.2.1). */
export function loader({ params }: { params: { id?: string } }) {
  return redirect303(`/manage/admin/people/${encodeURIComponent(params.id ?? "")}`);
}

/** Withdraws the open help of a person. It takes access away, so that it needs no fresh proof of identity. */
export async function action({ context: given, request, params }: ActionFunctionArgs) {
  const { context, administrator, access } = await requireAdministration(given, request, "help people");
  const { _xsrf } = await readForm(request, withdrawForm);
  if (!isOwnSettingsForm(context, access, _xsrf)) throw refusal(403, "xsrf");
  const { id: personId = "" } = params;
  const outcome = await withdrawHelp(context, administrator, { ...requestMetadata(context), personId });
  if (outcome.kind === "not found" || outcome.kind === "not allowed") throw refusal(404, "page_not_found");
  // Help that was used or has expired in the meantime is withdrawn, too.
  return redirect303(`/manage/admin/people/${personId}?done=help-withdrawn`);
}

/** Never rendered. With a component, Remix renders the error page for a refused form. */
export default function WithdrawHelp(): null {
  return null;
}
