import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { chooseDefaultFactor, findDefaultFactor } from "#app/domain/account/default-factor.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireSettings, type Settings } from "#app/http/settings-session.server.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { redirectNotAllowed, settingsState } from "#app/routes/settings/page-data.server.ts";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import type { RefusableState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { DefaultMethodForm } from "./default-method.tsx";

const FACTORS_PATH = "/manage/mfa";

const methodForm = defineForm({ method: z.enum(["totp", "fido2", "ask"]) });

export async function loader({ context, request }: LoaderFunctionArgs) {
  return respondWith(loadPage(context, request, await requireSettings(context, request)));
}

/** Stores the second factor that is asked for first at sign-in. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireSettings(context, request);
  const { _xsrf, method } = await readForm(request, methodForm);
  if (!isOwnSettingsForm(context, settings.access, _xsrf)) {
    return respondWith(loadPage(context, request, settings, "xsrf"));
  }
  const outcome = await chooseDefaultFactor(context, settings.access, method === "ask" ? null : method);
  switch (outcome.kind) {
    case "done":
      return redirect303(`${FACTORS_PATH}?status=default-method-saved`);
    case "no choice":
      return redirect303(FACTORS_PATH);
    default:
      return redirectNotAllowed(outcome, FACTORS_PATH);
  }
}

/** @throws a redirect to the second factors for a user who has nothing to choose from */
async function loadPage(context: LoadContext, request: Request, settings: Settings, error?: "xsrf") {
  const choice = await findDefaultFactor(context, settings.access);
  if (!choice) throw redirect303(FACTORS_PATH);
  const { t } = await settingsTexts(context, request);
  const state: RefusableState = { ...(await settingsState(context, settings)), ...(error ? { error } : {}) };
  const title = pageTitle(t, t("manageDefault.heading"), error !== undefined);
  return { status: htmlStatus(error), title, state, ...choice };
}

/** The page at /manage/mfa/default-method. Its form is also part of the page at /manage/mfa. */
export default function ChooseDefault() {
  const { t } = useTranslation();
  const page = useDocumentState(usePage<typeof loader, typeof action>());
  const { state, chosen } = page;
  return (
    <SettingsPage
      title={t("manageDefault.heading")}
      lead={t("manageDefault.hint")}
      parent="/manage/mfa"
      before={<ExpiredFormSummary code={state.error} />}
      tone={state.error ? "error" : "normal"}
    >
      <DefaultMethodForm xsrf={state.xsrf_token} chosen={chosen} />
    </SettingsPage>
  );
}
