import { Fragment, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Provider } from "#app/config/providers.ts";
import type { StartedPasskey } from "#app/domain/webauthn/options.ts";
import { AddressText } from "#app/ui/address-text.tsx";
import { LineIcon } from "#app/ui/line-icon.tsx";
import type { RegistrationHint } from "#app/ui/page-state.ts";
import { ProviderMark } from "#app/ui/provider-mark.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

type OtherMethodsProps = {
  providers: readonly Provider[];
  /** Null if no sign-in by passkey is offered. */
  passkey: StartedPasskey | null;
  challenge: string;
  xsrf: string;
};

/** The providers, and the form of the sign-in by passkey, to which the script adds its button. */
export function OtherMethods({ passkey, xsrf, ...others }: OtherMethodsProps): ReactNode {
  const { t } = useTranslation();
  if (!passkey) return <ProviderList {...others} />;
  const texts = {
    ...{ heading: t("login.passkey.heading"), submit: t("login.passkey.submit"), hint: t("login.passkey.hint") },
    ...{ cancelled: t("login.passkey.cancelled"), none: t("login.passkey.none") },
    unsupported: t("login.passkey.unsupported"),
  };
  return (
    <passkey-sign-in rp-id={passkey.relyingPartyId} challenge={passkey.challenge} texts={JSON.stringify(texts)}>
      {/* The form is not in the page until the script adds its button, because it cannot be sent before. */}
      <template>
        <form method="post" action="/login/passkey">
          <XsrfInput token={xsrf} />
          <input type="hidden" name="login_challenge" value={others.challenge} />
          <input type="hidden" name="assertion" />
          <LineIcon path={KEY} strokeWidth={1.5} />
        </form>
      </template>
      <ProviderList {...others} />
    </passkey-sign-in>
  );
}

/** A key. */
const KEY = "M7 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM9.9 9.9 17 17M13 13l2.2-2.2M15.8 15.8l1.7-1.7";

/** Links to the configured providers. */
function ProviderList({ providers, challenge }: { providers: readonly Provider[]; challenge: string }): ReactNode {
  const { t } = useTranslation();
  if (providers.length === 0) return null;
  return (
    <section className="flow flow-close" aria-labelledby="providers">
      <h2 className="divide" id="providers">
        {t("login.providersHeading")}
      </h2>
      <ul className="pair">
        {providers.map((provider) => (
          <li key={provider}>
            <a
              className="button quiet provider"
              href={`/login/${provider}?${new URLSearchParams({ login_challenge: challenge })}`}
            >
              <ProviderMark provider={provider} />
              {t(`login.provider.${provider}`)}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

type RegisterFormProps = {
  challenge: string;
  xsrf: string;
  hints: readonly RegistrationHint[];
  /** The application's name. */
  client: string;
};

/** Labels of the usual hints. */
const HINT_LABELS = { email: "register.hint.email", name: "register.hint.name" } as const;

function hasLabel(key: string): key is keyof typeof HINT_LABELS {
  return Object.hasOwn(HINT_LABELS, key);
}

/** Offers the registration to a user without an account, if the application has sent registration hints. */
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
            {/* Any other key is named as the application sent it. */}
            <dt>{hasLabel(key) ? t(HINT_LABELS[key]) : t("register.hint.other", { key })}</dt>
            <dd>
              <AddressText text={value} />
            </dd>
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
