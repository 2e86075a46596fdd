import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { PROVIDER_NAMES } from "#app/config/providers.ts";
import { RecoveryCodesLink, recoveryCodesText } from "#app/routes/settings/second-factors.tsx";
import { ProviderMark } from "#app/ui/provider-mark.tsx";
import { AccountName, CheckState, Row, RowLink, Section } from "#app/ui/rows.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import type { FactorSummary, OverviewPage, ProfileRow, ProviderAccount } from "./overview.server.ts";

/** Text keys of the labels. */
const PROFILE_LABELS = {
  name: "manageProfile.name",
  email: "manageProfile.email",
  phone: "manageProfile.phone",
} as const;

/** The parts of the profile that users may change; nothing if the administrator alone changes them. */
export function Profile({ profile }: Pick<OverviewPage, "profile">): ReactNode {
  const { t } = useTranslation();
  if (profile.length === 0) return null;
  return (
    <Section id="profile" heading={t("manageProfile.heading")}>
      {profile.map((row) => {
        const label = t(PROFILE_LABELS[row.change]);
        return (
          <Row
            key={row.change}
            label={label}
            value={<ProfileValue {...row} />}
            action={
              <RowLink to={`/manage/profile/${row.change}`} about={label}>
                {t("manage.actions.change")}
              </RowLink>
            }
          />
        );
      })}
    </Section>
  );
}

function ProfileValue(row: ProfileRow): ReactNode {
  const { t } = useTranslation();
  if (row.value === null && row.change !== "email") return t("manageProfile.none");
  if (row.change !== "email") return <span translate="no">{row.value}</span>;
  return (
    <>
      {row.value === null ? t("manageProfile.none") : <AccountName>{row.value}</AccountName>}
      {row.value === null || row.isVerified ? null : <span className="also">{t("manageProfile.unverified")}</span>}
      {row.pending ? (
        <>
          <span className="also">
            {t("manageProfile.newAddress")} <AccountName>{row.pending.email}</AccountName>
          </span>
          <span className="also">{t("manageProfile.pending", { until: row.pending.until })}</span>
        </>
      ) : null}
    </>
  );
}

/** Password and user name. */
export function Credentials({ username, passwordSet }: Pick<OverviewPage, "username" | "passwordSet">): ReactNode {
  const { t } = useTranslation();
  const [password, usernameLabel] = [t("manage.credentials.password"), t("manage.credentials.username")];
  return (
    <Section id="credentials" heading={t("manage.credentials.heading")}>
      <Row
        label={password}
        value={
          passwordSet
            ? t("manage.credentials.passwordHint", { when: passwordSet })
            : t("manage.credentials.passwordNone")
        }
        action={
          <RowLink to="/manage/credentials/password" about={password}>
            {t(passwordSet ? "manage.actions.change" : "manage.actions.setUp")}
          </RowLink>
        }
      />
      <Row
        label={usernameLabel}
        value={<AccountName>{username}</AccountName>}
        action={
          <RowLink to="/manage/credentials/username" about={usernameLabel}>
            {t("manage.actions.change")}
          </RowLink>
        }
      />
    </Section>
  );
}

/** Lists the second factors, with the link to the page about them and a link to set each up. */
export function SecondFactors({ hasTotp, keys, keysUsed, showsPasskeys, codes }: FactorSummary): ReactNode {
  const { t } = useTranslation();
  const heading = t("manage.twoStep.heading");
  const keysLabel = t(showsPasskeys ? "managePasskey.list.heading" : "manageMfa.fido2.name");
  return (
    <Section
      id="two-step"
      heading={heading}
      action={
        <RowLink to="/manage/mfa" about={heading}>
          {t("manage.actions.manage")}
        </RowLink>
      }
    >
      <Row
        label={t("manageMfa.totp.name")}
        value={hasTotp ? <CheckState>{t("manageMfa.totp.registered")}</CheckState> : t("manageMfa.totp.notRegistered")}
        action={
          hasTotp ? null : (
            <RowLink to="/manage/mfa/register-totp" about={t("manageMfa.totp.name")}>
              {t("manage.actions.setUp")}
            </RowLink>
          )
        }
      />
      <Row
        label={keysLabel}
        value={<KeySummary count={keys} used={keysUsed} showsPasskeys={showsPasskeys} />}
        action={
          showsPasskeys ? (
            <RowLink to="/manage/mfa#keys" about={keysLabel}>
              {t(keys === 0 ? "manage.actions.setUp" : "manage.actions.view")}
            </RowLink>
          ) : (
            <RowLink to="/manage/mfa/register-fido2" about={keysLabel}>
              {t("manage.actions.add")}
            </RowLink>
          )
        }
      />
      {codes ? (
        <Row
          label={t("manageMfa.codes.label")}
          value={recoveryCodesText(t, codes)}
          action={
            codes.left > 0 ? (
              <RowLink to="/manage/mfa#codes" about={t("manageMfa.codes.label")}>
                {t("manage.actions.view")}
              </RowLink>
            ) : (
              <RecoveryCodesLink {...codes} />
            )
          }
        />
      ) : null}
    </Section>
  );
}

type KeySummaryProps = { count: number; used: string | null; showsPasskeys: boolean };

function KeySummary({ count, used, showsPasskeys }: KeySummaryProps): ReactNode {
  const { t } = useTranslation();
  if (count === 0) return t(showsPasskeys ? "managePasskey.list.none" : "manageMfa.fido2.none");
  const keys = t(showsPasskeys ? "managePasskey.list.count" : "manageMfa.fido2.count", { count });
  return used === null ? keys : t("manage.twoStep.keysUsed", { keys, when: used });
}

/** The external accounts that the user can sign in with; nothing when no provider is configured. */
export function Providers({ providers, xsrf }: { providers: readonly ProviderAccount[]; xsrf: string }): ReactNode {
  const { t } = useTranslation();
  if (providers.length === 0) return null;
  return (
    <Section id="accounts" heading={t("manage.providers.heading")} lead={t("manage.providers.description")}>
      {providers.map((account) => (
        <ProviderRow key={account.provider} {...account} xsrf={xsrf} />
      ))}
    </Section>
  );
}

function ProviderRow({ provider, account, xsrf }: ProviderAccount & { xsrf: string }): ReactNode {
  const { t } = useTranslation();
  const name = PROVIDER_NAMES[provider];
  const action = t(account ? "manage.actions.disconnect" : "manage.actions.connect");
  return (
    <Row
      label={
        <>
          <ProviderMark provider={provider} />
          {name}
        </>
      }
      value={<ConnectedAccount account={account} />}
      action={
        // A plain form: the provider's pages need a document load.
        <form method="post" action={`/manage/oauth/${provider}`}>
          <XsrfInput token={xsrf} />
          <input type="hidden" name="intent" value={account ? "disconnect" : "connect"} />
          <Submit quiet label={t("manage.actionOn", { action, name })}>
            {action}
          </Submit>
        </form>
      }
    />
  );
}

function ConnectedAccount({ account }: Pick<ProviderAccount, "account">): ReactNode {
  const { t } = useTranslation();
  if (!account) return t("manage.providers.notConnected");
  return account.name === null ? t("manage.providers.connected") : <AccountName>{account.name}</AccountName>;
}

type AccessProps = Pick<OverviewPage, "sessions" | "applications" | "lastSignIn">;

/** Counts the sessions of the user and the applications with access to the account, and shows the last sign-in. */
export function Access({ sessions, applications, lastSignIn }: AccessProps): ReactNode {
  const { t } = useTranslation();
  const rows = [
    {
      to: "/manage/sessions",
      label: t("manage.access.sessions"),
      value: sessions > 0 ? t("manage.access.sessionCount", { count: sessions }) : t("manage.access.noSession"),
    },
    {
      to: "/manage/applications",
      label: t("manage.access.applications"),
      value:
        applications > 0
          ? t("manage.access.applicationCount", { count: applications })
          : t("manage.access.noApplication"),
    },
    {
      to: "/manage/activity",
      label: t("manage.access.activity"),
      value: lastSignIn ? t("manage.access.lastSignIn", lastSignIn) : t("manage.access.activityHint"),
    },
  ];
  return (
    <Section id="access" heading={t("manage.access.heading")}>
      {rows.map(({ to, label, value }) => (
        <Row
          key={to}
          label={label}
          value={value}
          action={
            <RowLink to={to} about={label}>
              {t("manage.actions.view")}
            </RowLink>
          }
        />
      ))}
    </Section>
  );
}

/** The language of the user's mails. */
export function Language({ language }: Pick<OverviewPage, "language">): ReactNode {
  const { t } = useTranslation();
  const heading = t("manageLanguage.title");
  return (
    <Section id="language" heading={heading}>
      <Row
        label={t("manageLanguage.label")}
        value={<span lang={language.code}>{language.name}</span>}
        action={
          <RowLink to="/manage/language" about={heading}>
            {t("manage.actions.change")}
          </RowLink>
        }
      />
    </Section>
  );
}
