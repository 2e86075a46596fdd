import type { ParseKeys } from "i18next";
import type { Visit } from "./page-setup.ts";
import { consentStates } from "./states-consent.ts";
import { errorStates } from "./states-error.ts";
import { factorResetStates } from "./states-factor-reset.ts";
import { loginStates } from "./states-login.ts";
import { logoutStates } from "./states-logout.ts";
import { passwordResetStates } from "./states-password-reset.ts";
import { registerStates } from "./states-register.ts";
import { secondFactorStates } from "./states-second-factor.ts";
import { setUpStates } from "./states-set-up.ts";
import { settingsStates } from "./states-settings.ts";
import { settingsCredentialStates } from "./states-settings-credentials.ts";
import { settingsFactorStates } from "./states-settings-factors.ts";
import { settingsListStates } from "./states-settings-lists.ts";

/** A page in one state: how to reach it, and its status and title. */
export type PageState<Where extends Visit = Visit> = {
  name: string;
  /** Status of the response. */
  status: number;
  /** Status if the script shows the state in the page: that of the response that loaded the page. */
  scriptedStatus?: number;
  /** Key of the title; with `problem`, the title begins with "Error:". */
  title: ParseKeys;
  problem?: boolean;
  /** Uses a browser of its own, because a virtual security key stays with the page. */
  ownBrowser?: boolean;
  reach(visit: Where): Promise<void>;
};

/** Every state of every page that works without providers; see EXTERNAL_STATES for the others. */
export const STATES: readonly PageState[] = [
  ...loginStates,
  ...registerStates,
  ...secondFactorStates,
  ...setUpStates,
  ...settingsFactorStates,
  ...settingsCredentialStates,
  ...passwordResetStates,
  ...factorResetStates,
  ...consentStates,
  ...logoutStates,
  ...settingsStates,
  ...settingsListStates,
  ...errorStates,
];
