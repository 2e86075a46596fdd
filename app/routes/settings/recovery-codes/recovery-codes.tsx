import { type ActionFunctionArgs, data, type HeadersArgs, type LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { makeOwnRecoveryCodes } from "#app/domain/settings/recovery-codes.server.ts";
import { requestMetadata } from "#app/http/factor-response.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { redirectNotAllowed } from "#app/routes/settings/change.server.ts";
import { useDocumentState } from "#app/routes/settings/page.tsx";
import { ownCodesView } from "./recovery-codes-page.server.ts";
import { OwnCodesScreen } from "./recovery-codes-page.tsx";

const schema = z.object({ _xsrf: z.string().default("") });

export async function loader({ context, request }: LoaderFunctionArgs) {
  if (context.isPosted) return null;
  const settings = await requireFreshSettings(context, request);
  const view = await ownCodesView(context, request, settings);
  return data(view, view.status);
}

/** Makes the codes. They stand in this answer alone, so it is no redirect; sent again, the form makes others in their place. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const form = await readForm(request, schema, ["_xsrf"]);
  const { _xsrf } = schema.parse(form.ok ? form.value : form.values);
  const again = async (shown: Parameters<typeof ownCodesView>[3], headers: Record<string, string> = {}) => {
    const view = await ownCodesView(context, request, settings, shown);
    return data(view, { status: view.status, headers });
  };

  if (!isOwnSettingsForm(context, settings.access, _xsrf)) return again({ error: "xsrf" });
  const made = await orOverloaded(() => makeOwnRecoveryCodes(context, settings.access, requestMetadata(context)));
  switch (made.kind) {
    case "made":
      context.mail.wake();
      return again({ codes: made.codes });
    case "overloaded":
      return again({ error: "overloaded" }, OVERLOAD_HEADERS);
    case "no factor":
      return again({});
    default:
      return redirectNotAllowed(made, "/manage/mfa/recovery-codes");
  }
}

/** How long to wait, where there was no room to hash. */
export function headers({ actionHeaders }: HeadersArgs) {
  return actionHeaders;
}

export default function OwnRecoveryCodes() {
  const shown = useLoaderData<typeof loader>();
  const view = useDocumentState(useActionData<typeof action>() ?? shown);
  return view && <OwnCodesScreen {...view} />;
}
