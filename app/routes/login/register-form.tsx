import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { RegistrationHint } from "#app/ui/page-state.ts";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

type RegisterFormProps = {
  challenge: string;
  xsrf: string;
  hints: readonly RegistrationHint[];
  /** The application's name. */
  client: string;
};

/** Labels of the usual hints. */
const LABELS = { email: "register.hint.email", name: "register.hint.name" } as const;

function hasLabel(key: string): key is keyof typeof LABELS {
  return Object.hasOwn(LABELS, key);
}

/** For a person without an account, where the application has sent hints: what it sent, and the way to an account. */
export function RegisterForm({ challenge, xsrf, hints, client }: RegisterFormProps): ReactNode {
  const { t } = useTranslation();
  if (hints.length === 0) return null;
  return (
    <section className="flow flow-close" aria-labelledby="register">
      <h2 className="divide" id="register">
        {t("register.heading")}
      </h2>
      <p>{t("register.description", { client })}</p>
      <h3 id="register-hints">{t("register.hintsLabel")}</h3>
      <dl className="details" aria-labelledby="register-hints" translate="no">
        {hints.map(({ key, value }) => (
          <Fragment key={key}>
            {/* Any other key is the application's word, in whichever language. */}
            <dt>{hasLabel(key) ? t(LABELS[key]) : key}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
      <form method="post" action="/register">
        <XsrfInput token={xsrf} />
        <input type="hidden" name="login_challenge" value={challenge} />
        {hints.map(({ key, value }) => (
          <input key={key} type="hidden" name={`hints[${key}]`} value={value} />
        ))}
        <Submit quiet>{t("register.submit")}</Submit>
      </form>
    </section>
  );
}
