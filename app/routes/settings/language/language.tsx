import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { chooseLanguage } from "#app/domain/account/language.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm, requireSettings, type Settings } from "#app/http/settings-session.server.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { LANGUAGES, type Language, mailLanguage } from "#app/i18n/language.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { redirectNotAllowed, requireUserInfo, stateOfUser } from "#app/routes/settings/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { ExpiredFormSummary } from "#app/ui/error-summary.tsx";
import type { RefusableState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";

const PATH = "/manage/language";

const languageForm = defineForm({ language: z.enum(LANGUAGES) });

export async function loader({ context, request }: LoaderFunctionArgs) {
  return respondWith(loadPage(context, request, await requireSettings(context, request)));
}

/** Stores the language of the user's mails. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireSettings(context, request);
  const { _xsrf, language } = await readForm(request, languageForm);
  if (!isOwnSettingsForm(context, settings.access, _xsrf)) {
    return respondWith(loadPage(context, request, settings, "xsrf"));
  }
  const outcome = await chooseLanguage(context, settings.access, language);
  return outcome.kind === "done" ? redirect303("/manage?status=language-saved") : redirectNotAllowed(outcome, PATH);
}

type LanguagePage = PageView<RefusableState, { languages: { value: Language; name: string }[]; chosen: Language }>;

async function loadPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  error?: "xsrf",
): Promise<LanguagePage> {
  const user = await requireUserInfo(context, settings);
  const { t } = await settingsTexts(context, request);
  const state: RefusableState = { ...stateOfUser(settings, user), ...(error ? { error } : {}) };
  const title = pageTitle(t, t("manageLanguage.title"), error !== undefined);
  // Here, because the browser loads the texts of one language.
  const options = LANGUAGES.map((value) => ({ value, name: getInstance(value).t("common.languageName") }));
  const languages = options.sort((one, other) => one.name.localeCompare(other.name));
  return { status: htmlStatus(error), title, state, languages, chosen: mailLanguage(context.config, user) };
}

/** The page at /manage/language. */
export default function ChooseLanguage() {
  const { t } = useTranslation();
  const page: LanguagePage = useDocumentState(usePage<typeof loader, typeof action>());
  const { state, languages, chosen } = page;
  return (
    <SettingsPage
      title={t("manageLanguage.heading")}
      lead={t("manageLanguage.description")}
      parent="/manage"
      before={<ExpiredFormSummary code={state.error} />}
      tone={state.error ? "error" : "normal"}
    >
      <SettingsForm className="flow" action={PATH} hiddenFields={{ _xsrf: state.xsrf_token }}>
        <fieldset className="picks">
          <legend className="visually-hidden">{t("manageLanguage.title")}</legend>
          {languages.map(({ value, name }) => (
            <div className="pick" key={value}>
              <input
                type="radio"
                id={`language-${value}`}
                name="language"
                value={value}
                defaultChecked={value === chosen}
              />
              <label htmlFor={`language-${value}`} lang={value}>
                <b>{name}</b>
              </label>
            </div>
          ))}
        </fieldset>
        <div className="actions">
          <Submit busy={t("managePassword.saving")}>{t("manageLanguage.submit")}</Submit>
          <ButtonLink href="/manage" quiet>
            {t("manageLanguage.abort")}
          </ButtonLink>
        </div>
      </SettingsForm>
    </SettingsPage>
  );
}
