import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findDefaultFactor } from "#app/domain/account/default-factor.server.ts";
import { findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import { findOwnTotpUse } from "#app/domain/totp/own-totp.server.ts";
import { type AcceptedKeys, findAcceptedKeys, listOwnKeys } from "#app/domain/webauthn/own-keys.server.ts";
import { requireSettings } from "#app/http/settings-session.server.ts";
import { whenText } from "#app/i18n/time-texts.server.ts";
import { distinctNames } from "#app/routes/settings/distinct-names.ts";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import {
  recoveryCodesSummary,
  securityKeyTexts,
  settingsState,
  stateFromUrl,
  timeTexts,
} from "#app/routes/settings/page-data.server.ts";
import {
  FactorDates,
  RecoveryCodesLink,
  RecoveryCodesOffer,
  type RecoveryCodesSummary,
  recoveryCodesText,
  SecurityKeyDescription,
  type SecurityKeyTexts,
} from "#app/routes/settings/second-factors.tsx";
import { StatusBanner } from "#app/routes/settings/status-banner.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import type { TwoStepState } from "#app/ui/page-state.ts";
import { CheckState, Row, RowLink, Section, Tag } from "#app/ui/rows.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { DefaultMethod } from "./default-method.tsx";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  const { access } = settings;
  const texts = await timeTexts(context, request);
  const factors = await findFactors(context.store, access.userId);
  const totp = await findOwnTotpUse(context, access);
  const keys = await listOwnKeys(context, access);
  const state: TwoStepState = {
    ...(await settingsState(context, settings)),
    totp_registered: totp !== null,
    count_registered_fido2_devices: keys.filter(({ passkey }) => !passkey).length,
    ...stateFromUrl(request, "status"),
  };
  return {
    title: pageTitle(texts.t, texts.t("manageMfa.title")),
    state,
    totp: totp && {
      added: whenText(totp.addedAt, texts),
      lastUsed: totp.lastUsedAt && whenText(totp.lastUsedAt, texts),
    },
    keys: keys.map((key) => securityKeyTexts(key, texts)),
    passkeysAreOn: context.config.passkeys,
    accepted: await findAcceptedKeys(context, access, new URL(request.url).searchParams.get("removed")),
    codes: await recoveryCodesSummary(context, settings, factors.recoveryCodesLeft, texts),
    // Codes replace a second factor; a user with passkeys alone has none.
    isProtected: hasFactor(factors),
    defaultFactor: await findDefaultFactor(context, access),
  };
}

/** The page at /manage/mfa: the user's second factors, with a link to change each. */
export default function TwoStep() {
  const { t } = useTranslation();
  const page = useDocumentState(useLoaderData<typeof loader>());
  const { state, totp, keys, codes, isProtected, defaultFactor } = page;
  return (
    <SettingsPage
      title={t("manageMfa.heading")}
      lead={t("manageMfa.intro")}
      parent="/manage"
      before={
        <>
          {state.status === undefined ? null : <StatusBanner key={state.status} status={state.status} />}
          {isProtected && codes.left === 0 ? <RecoveryCodesOffer xsrf={state.xsrf_token} /> : null}
        </>
      }
    >
      <AuthenticatorApp dates={totp} />
      {page.passkeysAreOn || keys.some(({ passkey }) => passkey) ? (
        <PasskeysAndKeys keys={keys} passkeysAreOn={page.passkeysAreOn} />
      ) : (
        <SecurityKeys keys={keys} />
      )}
      {page.accepted ? <PasskeySignal {...page.accepted} /> : null}
      {isProtected ? <RecoveryCodes {...codes} /> : null}
      {defaultFactor ? <DefaultMethod xsrf={state.xsrf_token} {...defaultFactor} /> : null}
    </SettingsPage>
  );
}

type FactorTexts = { added: string; lastUsed: string | null };

function AuthenticatorApp({ dates }: { dates: FactorTexts | null }): ReactNode {
  const { t } = useTranslation();
  const name = t("manageMfa.totp.name");
  return (
    <Section id="app" heading={name} lead={t("manageMfa.totp.description")}>
      {dates ? (
        <Row
          label={<CheckState>{t("manageMfa.totp.registered")}</CheckState>}
          value={<FactorDates added={t("manageMfa.totp.added", { when: dates.added })} lastUsed={dates.lastUsed} />}
          action={
            <RowLink to="/manage/mfa/totp/remove" about={name}>
              {t("manage.actions.remove")}
            </RowLink>
          }
        />
      ) : (
        <Row
          label={t("manageMfa.totp.notRegistered")}
          action={
            <RowLink to="/manage/mfa/register-totp" about={name}>
              {t("manage.actions.setUp")}
            </RowLink>
          }
        />
      )}
    </Section>
  );
}

/** The list of an installation without passkeys. */
function SecurityKeys({ keys }: { keys: readonly SecurityKeyTexts[] }): ReactNode {
  const { t } = useTranslation();
  const count = keys.length;
  return (
    <Section
      id="keys"
      heading={t("manageMfa.fido2.name")}
      tag={count > 0 ? <Tag>{t("manageMfa.fido2.count", { count })}</Tag> : null}
      lead={t(count === 1 ? "manageMfa.fido2.secondKeyHint" : "manageMfa.fido2.description")}
      action={<AddKeyLink />}
    >
      {count === 0 ? <Row label={t("manageMfa.fido2.none")} /> : null}
      <KeyRows keys={keys} />
    </Section>
  );
}

type PasskeysAndKeysProps = { keys: readonly SecurityKeyTexts[]; passkeysAreOn: boolean };

function PasskeysAndKeys({ keys, passkeysAreOn }: PasskeysAndKeysProps): ReactNode {
  const { t } = useTranslation();
  const count = keys.length;
  const isOnlyKey = count === 1 && !keys[0]?.passkey;
  const onLead = t(isOnlyKey ? "manageMfa.fido2.secondKeyHint" : "managePasskey.list.description");
  const lead = passkeysAreOn ? onLead : t("managePasskey.off");
  return (
    <Section
      id="keys"
      heading={t("managePasskey.list.heading")}
      tag={count > 0 ? <Tag>{t("managePasskey.list.count", { count })}</Tag> : null}
      lead={lead}
    >
      <KeyRows keys={keys} showsKind />
      {passkeysAreOn ? (
        <Row
          label={t("managePasskey.one.title")}
          action={
            <RowLink to="/manage/mfa/register-passkey" about={t("managePasskey.one.title")}>
              {t("manage.actions.setUp")}
            </RowLink>
          }
        />
      ) : null}
      <Row label={t("managePasskey.list.key")} action={<AddKeyLink />} />
    </Section>
  );
}

function AddKeyLink(): ReactNode {
  const { t } = useTranslation();
  return (
    <RowLink to="/manage/mfa/register-fido2" about={t("manageMfa.fido2.name")}>
      {t("manage.actions.add")}
    </RowLink>
  );
}

function KeyRows({ keys, showsKind = false }: { keys: readonly SecurityKeyTexts[]; showsKind?: boolean }): ReactNode {
  const { t } = useTranslation();
  const names = distinctNames(keys.map((key) => key.name));
  return keys.map((key, index) => (
    <Row
      key={key.id}
      label={<span translate="no">{key.name}</span>}
      value={<SecurityKeyDescription {...key} showsKind={showsKind} />}
      action={
        <RowLink to={`/manage/mfa/keys/${key.id}`} about={names[index] ?? ""}>
          {t("manage.actions.edit")}
        </RowLink>
      }
    />
  ));
}

/** Informs the browser's password manager which passkeys work here, and that one was removed. */
function PasskeySignal({ rpId, userId, acceptedIds, removedId }: AcceptedKeys): ReactNode {
  return (
    <passkey-signal rp-id={rpId} user-id={userId} accepted={acceptedIds.join(" ")} removed={removedId ?? ""} hidden />
  );
}

function RecoveryCodes(codes: RecoveryCodesSummary): ReactNode {
  const { left, total, created } = codes;
  const { t } = useTranslation();
  return (
    <Section id="codes" heading={t("manageCodes.heading")} lead={t("manageMfa.codes.description")}>
      <Row
        label={recoveryCodesText(t, codes)}
        value={
          created === null ? null : (
            <>
              <span className="tally" aria-hidden="true">
                {Array.from({ length: total }, (_, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike.
                  <i key={place} data-on={place < left ? "" : undefined} />
                ))}
              </span>
              <span className="also">{t("manageMfa.codes.created", { when: created })}</span>
            </>
          )
        }
        action={<RecoveryCodesLink {...codes} />}
      />
    </Section>
  );
}
