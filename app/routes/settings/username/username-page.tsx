import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { Field } from "#app/ui/field.tsx";
import type { UsernameError, UsernameState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type UsernameScreenProps = {
  state: UsernameState;
  /** What was typed, after an error; else "". */
  typed: string;
  /** With `throttled`: how long to wait, rounded up. */
  waitMinutes?: number | undefined;
};

const USERNAME_FIELD = "username";

/** The page at /manage/credentials/username. */
export function UsernameScreen({ state, typed, waitMinutes = 1 }: UsernameScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error, username } = state;
  const refusal = error ? refusalOf(t, error, waitMinutes) : null;
  return (
    <SettingsPage
      title={t("manageUsername.heading")}
      lead={<Emphasis text={t("manageUsername.current", { username })} part={username} />}
      back={{ to: "/manage", text: t("manageError.back") }}
      before={
        error && refusal ? <ErrorSummary code={error} quote={refusal.quote} problems={[refusal.problem]} /> : null
      }
      tone={error ? "error" : "normal"}
    >
      <form className="flow" method="post" action="/manage/credentials/username" noValidate>
        <XsrfInput token={state.xsrf_token} />
        <Field
          id={USERNAME_FIELD}
          name="username"
          label={t("manageUsername.label")}
          hint={t("manageUsername.hint")}
          error={refusal?.problem.field ? refusal.problem.text : undefined}
          input={{
            type: "text",
            autoComplete: "username",
            autoCapitalize: "none",
            autoCorrect: "off",
            spellCheck: false,
            enterKeyHint: "done",
            defaultValue: typed,
            required: true,
          }}
        />
        <p className="note">{t("manageUsername.others")}</p>
        <div className="actions">
          <Submit busy={t("managePassword.saving")}>{t("manageUsername.submit")}</Submit>
          <ButtonLink href="/manage" quiet>
            {t("manageUsername.abort")}
          </ButtonLink>
        </div>
      </form>
    </SettingsPage>
  );
}

type Refusal = { quote?: string; problem: Problem };

function refusalOf(t: TFunction, error: UsernameError, waitMinutes: number): Refusal {
  const at = (text: string, quote: string): Refusal => ({ quote, problem: { text, field: USERNAME_FIELD } });
  switch (error) {
    case "username is empty":
      return at(t("manageUsername.error.empty"), t("manageUsername.quote.empty"));
    case "username is invalid":
      return at(t("manageUsername.error.invalid"), t("manageUsername.quote.invalid"));
    case "username not available":
      return at(t("manageUsername.error.taken"), t("manageUsername.quote.taken"));
    case "Could not parse request":
      return { quote: t("managePassword.quote.parse"), problem: { text: t("manageUsername.error.parse") } };
    case "throttled":
      return { problem: { text: t("managePassword.error.tooMany", { count: waitMinutes }) } };
    case "xsrf":
      return { problem: { text: t("manageUsername.error.formExpired") } };
  }
}

export function usernameTitle(t: TFunction, { error }: UsernameState): string {
  return pageTitle(t, t("manageUsername.title"), error !== undefined);
}
