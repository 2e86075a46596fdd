import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { Submit } from "#app/ui/submit.tsx";

type DefaultMethodProps = {
  xsrf: string;
  /** The method that is asked for first at sign-in; null if the user chooses each time. */
  chosen: "totp" | "fido2" | null;
};

/** Section of the second factors for a user who has an authenticator app and a security key. */
export function DefaultMethod(props: DefaultMethodProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="default-method">
      <div className="section-head">
        <div className="title">
          <h2 id="default-method">{t("manageDefault.heading")}</h2>
        </div>
        <p className="note">{t("manageDefault.hint")}</p>
      </div>
      <DefaultMethodForm {...props} />
    </section>
  );
}

/** The choices and their button; posts to the page that stores the choice. */
export function DefaultMethodForm({ xsrf, chosen }: DefaultMethodProps): ReactNode {
  const { t } = useTranslation();
  const methods = [
    { value: "fido2", label: t("manageDefault.fido2"), hint: t("manageDefault.fido2Hint") },
    { value: "totp", label: t("manageDefault.totp"), hint: t("manageDefault.totpHint") },
    { value: "ask", label: t("manageDefault.ask"), hint: null },
  ];
  return (
    <SettingsForm className="flow flow-close" action="/manage/mfa/default-method" hiddenFields={{ _xsrf: xsrf }}>
      <fieldset className="picks">
        <legend className="visually-hidden">{t("manageDefault.heading")}</legend>
        {methods.map(({ value, label, hint }) => (
          <div className="pick" key={value}>
            <input
              type="radio"
              id={`method-${value}`}
              name="method"
              value={value}
              defaultChecked={value === (chosen ?? "ask")}
            />
            <label htmlFor={`method-${value}`}>
              <b>{label}</b>
              {hint ? <small>{hint}</small> : null}
            </label>
          </div>
        ))}
      </fieldset>
      <div className="actions">
        <Submit>{t("manageDefault.submit")}</Submit>
      </div>
    </SettingsForm>
  );
}
