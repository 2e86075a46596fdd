import type { ProfileChange } from "#app/config/config.ts";
import type { Provider } from "#app/config/providers.ts";
import type { Overview } from "#app/domain/account/overview.server.ts";
import { findLastSignIn } from "#app/domain/audit-trail/activity.server.ts";
import { listOwnConsents } from "#app/domain/consent/list.server.ts";
import { listOwnSessions } from "#app/domain/session/list.server.ts";
import { findOwnTotpUse } from "#app/domain/totp/own-totp.server.ts";
import { listOwnKeys, type OwnKey } from "#app/domain/webauthn/own-keys.server.ts";
import { MINUTE_MS } from "#app/durations.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { browserText, type PageView } from "#app/http/page-data.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { getInstance } from "#app/i18n/instance.server.ts";
import { type Language, mailLanguage } from "#app/i18n/language.ts";
import { type TimeTexts, whenText } from "#app/i18n/time-texts.server.ts";
import {
  type PendingTexts,
  pendingTexts,
  recoveryCodesSummary,
  requireOverview,
  stateFromUrl,
  stateOfUser,
  timeTexts,
} from "#app/routes/settings/page-data.server.ts";
import type { RecoveryCodesSummary } from "#app/routes/settings/second-factors.tsx";
import type { OverviewState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/** A configured provider. `account`: null when none is connected; `name`: null when the provider sent none. */
export type ProviderAccount = { provider: Provider; account: { name: string | null } | null };

/**
 * The second factors. `keys` counts security keys and passkeys; `keysUsed`: last use of any of them as text, null when
 * none was ever used. `showsPasskeys`: PASSKEYS is on, or the user has a passkey.
 */
export type FactorSummary = {
  hasTotp: boolean;
  keys: number;
  showsPasskeys: boolean;
  keysUsed: string | null;
  /** Null without a second factor. */
  codes: RecoveryCodesSummary | null;
};

export type OverviewPage = PageView<
  OverviewState,
  {
    username: string;
    /** The parts of the profile that users may change, in the order of the rows. */
    profile: readonly ProfileRow[];
    /** Time at which the password was set, as text; null without a password. */
    passwordSet: string | null;
    /** True if a mailed link set the password and the user has not acknowledged it. */
    passwordResetUnseen: boolean;
    factors: FactorSummary;
    /** A security key or passkey that was just registered, if the page reports it. */
    newKey: { id: string; name: string; isPasskey: boolean } | null;
    providers: readonly ProviderAccount[];
    /** Number of the user's sessions, and of applications with the user's consent. */
    sessions: number;
    applications: number;
    /** Time and browser of the last sign-in, as text; null if the audit trail contains none. */
    lastSignIn: { when: string; browser: string } | null;
    /** The language of the user's mails, and its own name. */
    language: { code: Language; name: string };
  }
>;

/**
 * Loads the first page of the settings.
 * @throws a redirect to the error page when the access has ended since the guard checked it
 */
export async function loadOverviewPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
): Promise<OverviewPage> {
  const overview = await requireOverview(context, settings);
  const { username, passwordSetAt, passwordResetUnseen, isProtected, factors, accounts } = overview;
  const texts = await timeTexts(context, request);
  const sessions = await listOwnSessions(context, settings.access);
  const consents = await listOwnConsents(context, settings.access);
  const keys = await listOwnKeys(context, settings.access);
  const totp = factors.totp ? await findOwnTotpUse(context, settings.access) : null;
  const language = mailLanguage(context.config, overview);
  const last = await findLastSignIn(context, settings.access);
  return {
    status: 200,
    title: pageTitle(texts.t, texts.t("manage.title")),
    state: {
      ...stateOfUser(settings, overview),
      ...stateFromUrl(request, "status"),
      ...stateFromUrl(request, "oauth-error"),
    },
    username,
    profile: await profileRows(context, request, settings, overview),
    passwordSet: passwordSetAt && whenText(passwordSetAt, texts),
    passwordResetUnseen,
    factors: {
      hasTotp: factors.totp,
      keys: keys.length,
      showsPasskeys: context.config.passkeys || keys.some(({ passkey }) => passkey),
      keysUsed: lastUseOf(keys, texts),
      codes: isProtected ? await recoveryCodesSummary(context, settings, factors.recoveryCodesLeft, texts) : null,
    },
    newKey: findNewKey(context, request, { keys, totpAddedAt: totp?.addedAt ?? null }),
    providers: context.upstream.providers.map((provider) => ({ provider, account: accounts[provider] })),
    sessions: sessions.length,
    applications: consents.length,
    language: { code: language, name: getInstance(language).t("common.languageName") },
    lastSignIn: last && { when: whenText(last.at, texts), browser: browserText(last.browser, texts) },
  };
}

/** A row of the profile. `pending`: the change of the address that waits for its confirmation, or null. */
export type ProfileRow =
  | { change: "name" | "phone"; value: string | null }
  | { change: "email"; value: string | null; isVerified: boolean; pending: PendingTexts | null };

async function profileRows(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { displayName, email, emailVerified, phone }: Overview,
): Promise<ProfileRow[]> {
  const isAllowed = (change: ProfileChange) => context.config.profileChanges.includes(change);
  const rows: ProfileRow[] = [];
  if (isAllowed("name")) rows.push({ change: "name", value: displayName });
  if (isAllowed("email")) {
    const pending = await pendingTexts(context, request, settings);
    rows.push({ change: "email", value: email, isVerified: emailVerified, pending });
  }
  if (isAllowed("phone")) rows.push({ change: "phone", value: phone });
  return rows;
}

/** Time in which the browser opens this page after the registration of a key. */
const NEW_KEY_MS = MINUTE_MS;

/** Returns the key whose registration led here; null if an authenticator app did, which is newer than the last key. */
function findNewKey(
  { clock }: LoadContext,
  request: Request,
  { keys, totpAddedAt }: { keys: readonly OwnKey[]; totpAddedAt: Date | null },
): OverviewPage["newKey"] {
  const { status = "" } = stateFromUrl(request, "status");
  if (status !== "mfa-success" && status !== "passkey-added") return null;
  const key = keys.at(-1);
  if (!key || (totpAddedAt && totpAddedAt > key.addedAt)) return null;
  return clock.now().getTime() - key.addedAt.getTime() < NEW_KEY_MS
    ? { id: key.id, name: key.name, isPasskey: key.passkey !== null }
    : null;
}

function lastUseOf(keys: readonly OwnKey[], texts: TimeTexts): string | null {
  const uses = keys.flatMap(({ lastUsedAt }) => (lastUsedAt ? [lastUsedAt.getTime()] : []));
  return uses.length > 0 ? whenText(new Date(Math.max(...uses)), texts) : null;
}
