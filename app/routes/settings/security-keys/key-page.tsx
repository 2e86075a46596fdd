import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import {
  LastFactorNotice,
  SecurityKeyDescription,
  type SecurityKeyTexts,
} from "#app/routes/settings/second-factors.tsx";
import { ErrorSummary, type Problem } from "#app/ui/error-summary.tsx";
import { Field } from "#app/ui/field.tsx";
import type { OwnKeyError, OwnKeyState } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type OwnKeyScreenProps = {
  state: OwnKeyState;
  shownKey: SecurityKeyTexts;
  /** What was typed, after an error. */
  typedName: string | null;
  /** Whether no other second factor is left without it. */
  isLast: boolean;
};

const NAME_FIELD = "key-name";

/** The page at /manage/mfa/keys/{id}: another name for a security key, or its removal. */
export function OwnKeyScreen({ state, shownKey, typedName, isLast }: OwnKeyScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  const problem = error ? problemOf(t, error, typedName) : null;
  return (
    <SettingsPage
      title={t("manageKey.title")}
      lead={
        <>
          <b className="key-name" translate="no">
            {shownKey.name}
          </b>
          <br />
          <SecurityKeyDescription {...shownKey} />
        </>
      }
      back={{ to: "/manage/mfa", text: t("manageMfa.back") }}
      before={error && problem ? <ErrorSummary code={error} problems={[problem]} /> : null}
      tone={error ? "error" : "normal"}
    >
      <form className="flow flow-close" method="post" action={`/manage/mfa/keys/${shownKey.id}`} noValidate>
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="intent" value="rename" />
        <Field
          id={NAME_FIELD}
          name="name"
          label={t("manageKey.name.label")}
          hint={t("manageKey.name.hint")}
          error={problem?.field ? problem.text : undefined}
          input={{
            type: "text",
            autoCapitalize: "sentences",
            enterKeyHint: "done",
            defaultValue: typedName ?? shownKey.name,
            required: true,
          }}
        />
        <div className="actions">
          <Submit>{t("manageKey.save")}</Submit>
        </div>
      </form>
      <Removal state={state} id={shownKey.id} isLast={isLast} />
    </SettingsPage>
  );
}

function Removal({ state, id, isLast }: Pick<OwnKeyScreenProps, "state" | "isLast"> & { id: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="flow flow-close aside" aria-labelledby="removal">
      <div className="pair">
        <h2 id="removal">{t("manageKey.remove.heading")}</h2>
        <p className="lead">
          {t("manageKey.remove.description")} {t("manageFactor.others")}
        </p>
      </div>
      {isLast ? <LastFactorNotice /> : null}
      <form className="actions" method="post" action={`/manage/mfa/keys/${id}`}>
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="intent" value="remove" />
        <Submit danger>{t("manageKey.remove.submit")}</Submit>
      </form>
    </section>
  );
}

function problemOf(t: TFunction, error: OwnKeyError, typedName: string | null): Problem {
  if (error === "xsrf") return { text: t("common.formExpired") };
  const isEmpty = (typedName ?? "").trim() === "";
  return { text: t(isEmpty ? "manageKey.error.empty" : "manageKey.error.tooLong"), field: NAME_FIELD };
}

export function ownKeyTitle(t: TFunction, { error }: OwnKeyState): string {
  return pageTitle(t, t("manageKey.title"), error !== undefined);
}
