import { type ActionFunctionArgs, data, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { removeOwnKey, renameOwnKey } from "#app/domain/settings/security-keys.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { redirectNotAllowed } from "#app/routes/settings/change.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { ownKeyView } from "#app/routes/settings/two-step.server.ts";
import type { OwnKeyError } from "#app/ui/page-state.ts";
import { OwnKeyScreen } from "./key-page.tsx";

const FIELDS = ["_xsrf", "intent", "name"];

const schema = z.object({
  _xsrf: z.string().default(""),
  intent: z.string().default(""),
  name: z.string().default(""),
});

/** What a key may be called, as in the API. */
const nameSchema = z.string().trim().min(1).max(64);

const FACTORS = "/manage/mfa";

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const view = await ownKeyView(context, request, settings, { id: params.id ?? "" });
  if (!view) throw refusal(404, "page_not_found");
  return data(view, view.status);
}

/** Gives the key another name, or removes it. Where it is gone already, the list of those that are left tells so. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const id = params.id ?? "";
  const form = await readForm(request, schema, FIELDS);
  const { _xsrf, intent, name: typedName } = schema.parse(form.ok ? form.value : form.values);
  const again = async (error: OwnKeyError) => {
    const view = await ownKeyView(context, request, settings, { id, problem: { error, typedName } });
    return view ? data(view, view.status) : redirect303(FACTORS);
  };

  if (!isOwnSettingsForm(context, settings.access, _xsrf)) return again("xsrf");
  const name = nameSchema.safeParse(typedName);
  if (intent !== "remove" && !name.success) return again("bad request");
  const outcome =
    intent === "remove"
      ? await removeOwnKey(context, settings.access, { ...requestMetadata(context), id })
      : await renameOwnKey(context, settings.access, { id, name: name.data ?? "" });
  switch (outcome.kind) {
    case "done":
      context.mail.wake();
      context.logouts.wake();
      return redirect303(`${FACTORS}?status=${intent === "remove" ? "factor-removed" : "key-renamed"}`);
    case "security key not found":
      return redirect303(FACTORS);
    default:
      return redirectNotAllowed(outcome, `/manage/mfa/keys/${encodeURIComponent(id)}`);
  }
}

export default function OwnKey() {
  const shown = useLoaderData<typeof loader>();
  const view = useDocumentState(useActionData<typeof action>() ?? shown);
  return view && <OwnKeyScreen {...view} />;
}
