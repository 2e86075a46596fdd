import type { NotAllowed } from "#app/domain/access/access.ts";
import { findOverview, findUserInfo, type Overview, type UserInfo } from "#app/domain/account/overview.server.ts";
import { findFactors, hasFactor, withPasskeys } from "#app/domain/factor/factors.server.ts";
import { findPendingEmail } from "#app/domain/profile/request-email.server.ts";
import { describeOwnRecoveryCodes } from "#app/domain/recovery-code/own-codes.server.ts";
import type { OwnKey } from "#app/domain/webauthn/own-keys.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type BrowserNames, settingsTexts } from "#app/http/page-data.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { confirmUrl, type Settings, UNAUTHORIZED_URL } from "#app/http/settings-session.server.ts";
import { exactTimeText, type TimeTexts, whenText } from "#app/i18n/time-texts.server.ts";
import type { SettingsState } from "#app/ui/page-state.ts";
import type { FactorRemoval, RecoveryCodesSummary, SecurityKeyTexts } from "./second-factors.tsx";

/** Maximum length of a value that a page takes from its URL. */
const MAX_PARAMETER_LENGTH = 200;

/**
 * Loads the part of `data-state` that all settings pages have; a page adds its own properties.
 * @throws a redirect to the error page when the access has ended since the guard checked it
 */
export async function settingsState(context: LoadContext, settings: Settings): Promise<SettingsState> {
  return stateOfUser(settings, await requireUserInfo(context, settings));
}

/** Returns the part of `data-state` that all settings pages have, of a user who is already loaded. */
export function stateOfUser({ xsrf, token }: Settings, user: UserInfo): SettingsState {
  return {
    token,
    xsrf_token: xsrf,
    user_id: user.userId,
    display_name: user.displayName,
    picture: user.picture,
    return_to_url: user.returnToUrl,
  };
}

/**
 * Loads the user in the settings.
 * @throws a redirect to the error page when the access has ended since the guard checked it
 */
export async function requireUserInfo(context: LoadContext, { access }: Settings): Promise<UserInfo> {
  const user = await findUserInfo(context, access);
  if (!user) throw redirect303(UNAUTHORIZED_URL);
  return user;
}

/**
 * Loads the user's credentials, second factors and connected accounts.
 * @throws a redirect to the error page when the access has ended since the guard checked it
 */
export async function requireOverview(context: LoadContext, { access }: Settings): Promise<Overview> {
  const overview = await findOverview(context, access);
  if (!overview) throw redirect303(UNAUTHORIZED_URL);
  return overview;
}

/** Returns a query parameter as a property of the page's state, cut to 200 characters; {} when the URL has none. */
export function stateFromUrl(request: Request, name: "status" | "oauth-error") {
  const value = new URL(request.url).searchParams.get(name);
  return value === null ? {} : { [name]: value.slice(0, MAX_PARAMETER_LENGTH) };
}

/** Returns the input for texts that contain a time: language, translations, current time, configured time zone. */
export async function timeTexts(context: LoadContext, request: Request): Promise<TimeTexts> {
  const texts = await settingsTexts(context, request);
  return { ...texts, now: context.clock.now(), timeZone: context.config.timeZone };
}

/** A change of the e-mail address that waits for its confirmation; `until` as text. */
export type PendingTexts = { email: string; until: string };

/** Returns the pending change of the e-mail address, or null. */
export async function pendingTexts(
  context: LoadContext,
  request: Request,
  { access }: Settings,
): Promise<PendingTexts | null> {
  const pending = await findPendingEmail(context, access);
  if (!pending) return null;
  const { language } = await settingsTexts(context, request);
  const { timeZone } = context.config;
  return { email: pending.email, until: exactTimeText(pending.until, { language, timeZone }) };
}

/** Returns true for a phone or tablet. */
export function isPhone({ system }: BrowserNames): boolean {
  return system === "Android" || system === "iOS";
}

/** Formats the times of a security key or passkey. */
export function securityKeyTexts(key: OwnKey, texts: TimeTexts): SecurityKeyTexts {
  const { id, name, addedAt, lastUsedAt, flagged, passkey } = key;
  const times = { added: whenText(addedAt, texts), lastUsed: lastUsedAt && whenText(lastUsedAt, texts) };
  return { id, name, ...times, flagged, passkey };
}

/** Counts the recovery codes of a user with a second factor; `left` was loaded with the factors. */
export async function recoveryCodesSummary(
  context: LoadContext,
  { access }: Settings,
  left: number,
  texts: TimeTexts,
): Promise<RecoveryCodesSummary> {
  const { total, createdAt } = await describeOwnRecoveryCodes(context, access, left);
  return { left, total, created: createdAt && whenText(createdAt, texts) };
}

/**
 * Returns what the removal of a factor leaves, for a user who loses the second step, or the last passkey, by it. Passkeys
 * do not count while PASSKEYS is off.
 */
export async function describeRemoval(
  { store, config }: Pick<LoadContext, "store" | "config">,
  { access }: Settings,
  removed: "totp" | "securityKeys" | "passkeys",
): Promise<FactorRemoval> {
  const before = withPasskeys(await findFactors(store, access.userId), config.passkeys);
  const after = removed === "totp" ? { ...before, totp: false } : { ...before, [removed]: before[removed] - 1 };
  const endsCodes = before.recoveryCodesLeft > 0;
  if (hasFactor(after)) return { leaves: null, endsCodes: false };
  if (hasFactor(before)) return { leaves: after.passkeys > 0 ? "passkeys" : "password", endsCodes };
  return { leaves: before.passkeys === 1 ? "password" : null, endsCodes };
}

/**
 * Redirects after a change that was not allowed: to the confirmation page when the last proof of identity is too old,
 * to /manage when the access has ended. The guard of /manage checks the access again: after a duplicate submission of
 * the same form, it is still valid.
 * @param page path of the form's page, to which the confirmation page returns
 */
export function redirectNotAllowed({ kind }: NotAllowed, page: string): Response {
  return redirect303(kind === "unauthorized" ? "/manage" : confirmUrl(page, { isUnsaved: true }));
}
