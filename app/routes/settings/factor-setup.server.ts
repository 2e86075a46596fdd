import { findFactors } from "#app/domain/second-factor/factors.server.ts";
import { findOwnTotp, startOwnTotp } from "#app/domain/settings/totp.server.ts";
import { findRelyingParty } from "#app/domain/webauthn/relying-party.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { drawQrCode } from "#app/http/qr-code.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { type OwnTotpScreenProps, ownTotpTitle } from "#app/routes/settings/authenticator-app/register-page.tsx";
import { type OwnKeySetUpScreenProps, ownKeySetUpTitle } from "#app/routes/settings/security-keys/register-page.tsx";
import type { OwnTotpError, OwnTotpState, SettingsState } from "#app/ui/page-state.ts";
import { redirectNotAllowed } from "./change.server.ts";
import { settingsState } from "./page-data.server.ts";

export const TOTP_PAGE = "/manage/mfa/register-totp";

export type OwnTotpProblem = { error: OwnTotpError } & Pick<
  OwnTotpScreenProps,
  "refusal" | "clockOffSeconds" | "waitMinutes"
>;

/**
 * The page that sets up an authenticator app. Begins to, unless that was done here already: loading it again shows the
 * same secret, or an app that has taken it up would be of no use.
 */
export async function ownTotpView(
  context: LoadContext,
  request: Request,
  settings: Settings,
  problem?: OwnTotpProblem,
): Promise<PageView<OwnTotpState, OwnTotpScreenProps>> {
  const found = await secretOf(context, settings);
  const secret = found && { ...found, qrCode: await drawQrCode(found.otpauthUri) };
  const { error: refused, ...facts } = problem ?? { error: undefined };
  const error = secret ? refused : "totp already registered";
  const state = {
    ...(await settingsState(context, settings)),
    ...(secret ? { qr_code: secret.qrCode, secret: secret.secretBase32 } : {}),
    ...(error ? { error } : {}),
  };
  const { t } = await settingsTexts(context, request);
  return { status: htmlStatus(error), title: ownTotpTitle(t, state), state, secret, ...facts };
}

/** The secret that the app is to take up; null where there is an app already. */
async function secretOf(context: LoadContext, { access }: Settings) {
  const { totp } = await findFactors(context.store, access.userId);
  if (totp) return null;
  const begun = await findOwnTotp(context, access);
  if (begun) return begun;
  const started = await startOwnTotp(context, access);
  switch (started.kind) {
    case "started": {
      const { secretBase32, otpauthUri } = started;
      return { secretBase32, otpauthUri };
    }
    case "totp already registered":
      return null;
    default:
      throw redirectNotAllowed(started, TOTP_PAGE);
  }
}

/** The page that sets up a security key; its script does the rest. */
export async function ownKeySetUpView(
  context: LoadContext,
  request: Request,
  settings: Settings,
): Promise<PageView<SettingsState, OwnKeySetUpScreenProps>> {
  const { access } = settings;
  const { totp } = await findFactors(context.store, access.userId);
  const { t } = await settingsTexts(context, request);
  return {
    status: 200,
    title: ownKeySetUpTitle(t),
    state: await settingsState(context, settings),
    hasTotp: totp,
    keysWork: findRelyingParty(context.config.issuer) !== null,
  };
}
