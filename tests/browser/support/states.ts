import type { ParseKeys } from "i18next";
import type { Visit } from "./scene.ts";
import { consentStates } from "./states-consent.ts";
import { errorStates } from "./states-error.ts";
import { loginStates } from "./states-login.ts";
import { logoutStates } from "./states-logout.ts";
import { factorResetStates } from "./states-mfa-reset.ts";
import { passwordResetStates } from "./states-password-reset.ts";
import { registerStates } from "./states-register.ts";
import { secondFactorStates } from "./states-second-factor.ts";
import { setUpStates } from "./states-set-up.ts";
import { settingsStates } from "./states-settings.ts";
import { settingsCredentialStates } from "./states-settings-credentials.ts";
import { settingsFactorStates } from "./states-settings-factors.ts";
import { settingsListStates } from "./states-settings-lists.ts";

/** One page in one of its states: how a person gets there, and what it is. */
export type PageState<Where extends Visit = Visit> = {
  name: string;
  /** The HTTP status that it is answered with. */
  status: number;
  /** Where the script tells on the page as it stands what else a new page tells: the status that page was answered with. */
  scriptedStatus?: number;
  /** The key of its title; with `problem`, the title begins with "Error:". */
  title: ParseKeys;
  problem?: boolean;
  reach(visit: Where): Promise<void>;
};

/** Every page that the product has, in every state that a person can bring it into; with providers, see EXTERNAL_STATES. */
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
