import type { PageState } from "./page-state.ts";
import { administrationStates } from "./states-administration.ts";
import { administrationPeopleStates } from "./states-administration-people.ts";
import { consentStates } from "./states-consent.ts";
import { errorStates } from "./states-error.ts";
import { factorResetStates } from "./states-factor-reset.ts";
import { helpStates } from "./states-help.ts";
import { loginStates } from "./states-login.ts";
import { logoutStates } from "./states-logout.ts";
import { passkeyStates } from "./states-passkeys.ts";
import { passwordResetStates } from "./states-password-reset.ts";
import { profileStates } from "./states-profile.ts";
import { registerStates } from "./states-register.ts";
import { secondFactorStates } from "./states-second-factor.ts";
import { setUpStates } from "./states-set-up.ts";
import { settingsStates } from "./states-settings.ts";
import { settingsCredentialStates } from "./states-settings-credentials.ts";
import { settingsFactorStates } from "./states-settings-factors.ts";
import { settingsListStates } from "./states-settings-lists.ts";
import { startStates } from "./states-start.ts";

/** Every state of every page that works without providers; see EXTERNAL_STATES for the others. */
export const STATES: readonly PageState[] = [
  ...loginStates,
  ...startStates,
  ...registerStates,
  ...secondFactorStates,
  ...setUpStates,
  ...settingsFactorStates,
  ...passkeyStates,
  ...settingsCredentialStates,
  ...profileStates,
  ...passwordResetStates,
  ...factorResetStates,
  ...helpStates,
  ...consentStates,
  ...logoutStates,
  ...settingsStates,
  ...settingsListStates,
  ...administrationPeopleStates,
  ...administrationStates,
  ...errorStates,
];
