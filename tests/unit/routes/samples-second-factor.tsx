import type { ReactNode } from "react";
import { RecoveryCodesPage, type RecoveryCodesPageProps } from "#app/routes/second-factor/recovery-codes.tsx";
import type { KeySetUpProps, TotpSetUpProps } from "#app/routes/second-factor/setup.server.ts";
import { KeyNaming, KeySetUp, TotpSetUp } from "#app/routes/second-factor/setup.tsx";
import { VerifyPage, type VerifyPageProps } from "#app/routes/second-factor/verify-page.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";

const CLIENT: ClientLabel = { name: "Broker Desk", host: "desk.example", uri: "https://desk.example/" };

export const SECRET = "JBSWY3DPEHPK3PXPKRUGKIDROVUWG2ZA";

export const OTPAUTH = `otpauth://totp/Gatehouse:a.berger?secret=${SECRET}&issuer=Gatehouse`;

export const RECOVERY_CODES = Array.from({ length: 10 }, (_, index) => `K7PQ${index}-RTM9X`);

export function factorState(changes: Partial<SecondFactorState> = {}): SecondFactorState {
  return {
    totpRegistered: true,
    totp_registered: true,
    fido2Registered: true,
    loginChallenge: "the-challenge",
    xsrfToken: "the-token",
    token: "the-mfa-token",
    ...changes,
  };
}

export function secondFactor(
  method: VerifyPageProps["method"],
  state: Partial<SecondFactorState> = {},
  props: Partial<VerifyPageProps> = {},
): ReactNode {
  return (
    <VerifyPage
      state={factorState(state)}
      client={CLIENT}
      name="Anna Berger"
      method={method}
      keysWork
      recoveryCodesLeft={7}
      supportContact="help@office.example"
      {...props}
    />
  );
}

export function totpSetUp(state: Partial<SecondFactorState> = {}, props: Partial<TotpSetUpProps> = {}): ReactNode {
  return (
    <TotpSetUp
      state={factorState(state)}
      client={CLIENT}
      qrCode="iVBORw0KGgo="
      secretBase32={SECRET}
      otpauthUri={OTPAUTH}
      {...props}
    />
  );
}

export function keySetUp(state: Partial<SecondFactorState> = {}, props: Partial<KeySetUpProps> = {}): ReactNode {
  return <KeySetUp state={factorState(state)} client={CLIENT} {...props} />;
}

export function keyNaming(state: Partial<SecondFactorState> = {}): ReactNode {
  return <KeyNaming state={factorState(state)} client={CLIENT} keyName="Security key" />;
}

export function recoveryCodes(
  codes: RecoveryCodesPageProps["codes"],
  state: Partial<SecondFactorState> = {},
): ReactNode {
  return (
    <RecoveryCodesPage
      state={factorState(state)}
      client={CLIENT}
      codes={codes}
      name="Anna Berger"
      username="a.berger"
      productName="Gatehouse"
      createdAt={new Date("2026-11-20T23:30:00Z")}
      timeZone="Europe/Berlin"
    />
  );
}

const NONE = { totpRegistered: false, totp_registered: false, fido2Registered: false };
const KEY_ONLY = { totpRegistered: false, totp_registered: false };
const WRONG = { error: "invalid verification code" } as const;

/** Every state of every page of the second-factor step, by name. */
export const SECOND_FACTOR_PAGES: Readonly<Record<string, ReactNode>> = {
  "factor, choose": secondFactor("choose"),
  "factor, choose where no key works": secondFactor("choose", {}, { keysWork: false }),
  "factor, code": secondFactor("totp"),
  "factor, code only, no help": secondFactor(
    "totp",
    { fido2Registered: false },
    { recoveryCodesLeft: 0, supportContact: null },
  ),
  "factor, code missing": secondFactor("totp", WRONG, { refusal: "missing" }),
  "factor, code malformed": secondFactor("totp", WRONG, { refusal: "malformed" }),
  "factor, code wrong": secondFactor("totp", WRONG),
  "factor, code used": secondFactor("totp", WRONG, { refusal: "used" }),
  "factor, clock fast": secondFactor("totp", WRONG, { clockOffSeconds: 90 }),
  "factor, clock slow": secondFactor("totp", WRONG, { clockOffSeconds: -120 }),
  "factor, throttled": secondFactor("totp", { error: "throttled" }, { waitMinutes: 4 }),
  "factor, form expired": secondFactor("totp", { error: "xsrf" }),
  "factor, choice expired": secondFactor("choose", { error: "xsrf" }),
  "factor, recovery code": secondFactor("recovery"),
  "factor, recovery code missing": secondFactor("recovery", WRONG, { refusal: "missing" }),
  "factor, recovery code malformed": secondFactor("recovery", WRONG, { refusal: "malformed" }),
  "factor, recovery code wrong": secondFactor("recovery", WRONG),
  "factor, key": secondFactor("fido2"),
  "factor, key only": secondFactor("fido2", KEY_ONLY),
  "factor, key refused": secondFactor("fido2", { error: "security key refused" }),
  "factor, key not found": secondFactor("fido2", { error: "security key not found" }),
  "factor, key where none works": secondFactor("fido2", KEY_ONLY, { keysWork: false }),
  "factor, set up": secondFactor("set-up", NONE),
  "factor, set up where no key works": secondFactor("set-up", NONE, { keysWork: false }),
  "factor, set up before": secondFactor("choose", { error: "factor already registered" }),
  "factor, setup expired": secondFactor("set-up", { ...NONE, error: "totp not found" }),
  "factor, continue": secondFactor("continue"),
  "factor, over": secondFactor("totp", { error: "unauthorized" }),
  "app, set up": totpSetUp(NONE),
  "app, set up, code wrong": totpSetUp({ ...NONE, ...WRONG }),
  "app, set up, throttled": totpSetUp({ ...NONE, error: "throttled" }),
  "key, set up": keySetUp(NONE),
  "key, set up, form expired": keySetUp({ ...NONE, error: "xsrf" }),
  "key, named": keyNaming(NONE),
  "key, named, form expired": keyNaming({ ...NONE, error: "xsrf" }),
  "recovery codes, offer": recoveryCodes(null),
  "recovery codes, offer, form expired": recoveryCodes(null, { error: "xsrf" }),
  "recovery codes": recoveryCodes(RECOVERY_CODES),
};
