import { findFactors } from "#app/domain/second-factor/factors.server.ts";
import { listOwnKeys } from "#app/domain/settings/security-keys.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { type TotpRemovalScreenProps, totpRemovalTitle } from "#app/routes/settings/authenticator-app/remove-page.tsx";
import { type OwnKeyScreenProps, ownKeyTitle } from "#app/routes/settings/security-keys/key-page.tsx";
import { type TwoStepScreenProps, twoStepTitle } from "#app/routes/settings/two-step/overview-page.tsx";
import type { OwnKeyError, OwnKeyState, RefusableState, TwoStepState } from "#app/ui/page-state.ts";
import { securityKeyTexts, settingsState, stateFromUrl, timeTexts } from "./page-data.server.ts";

/** The page of all second factors. */
export async function twoStepView(
  context: LoadContext,
  request: Request,
  settings: Settings,
): Promise<PageView<TwoStepState, TwoStepScreenProps>> {
  const { access } = settings;
  const texts = await timeTexts(context, request);
  const { totp, recoveryCodesLeft } = await findFactors(context.store, access.userId);
  const keys = await listOwnKeys(context, access);
  return {
    status: 200,
    title: twoStepTitle(texts.t),
    state: {
      ...(await settingsState(context, settings)),
      totp_registered: totp,
      count_registered_fido2_devices: keys.length,
      ...stateFromUrl(request, "status"),
    },
    keys: keys.map((key) => securityKeyTexts(key, texts)),
    recoveryCodesLeft,
  };
}

/** The page that asks whether the authenticator app shall go; null where there is none. */
export async function totpRemovalView(
  context: LoadContext,
  request: Request,
  settings: Settings,
  error?: "xsrf",
): Promise<PageView<RefusableState, TotpRemovalScreenProps> | null> {
  const { totp, securityKeys } = await findFactors(context.store, settings.access.userId);
  if (!totp) return null;
  const state = { ...(await settingsState(context, settings)), ...(error ? { error } : {}) };
  const { t } = await settingsTexts(context, request);
  return { status: htmlStatus(error), title: totpRemovalTitle(t, state), state, isLast: securityKeys === 0 };
}

type KeyInput = { id: string; problem?: { error: OwnKeyError; typedName?: string } };

/** The page of one security key; null where the person has none of this id. */
export async function ownKeyView(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { id, problem }: KeyInput,
): Promise<PageView<OwnKeyState, OwnKeyScreenProps> | null> {
  const { access } = settings;
  const keys = await listOwnKeys(context, access);
  const key = keys.find((one) => one.id === id);
  if (!key) return null;
  const { totp } = await findFactors(context.store, access.userId);
  const texts = await timeTexts(context, request);
  const state = { ...(await settingsState(context, settings)), ...(problem ? { error: problem.error } : {}) };
  return {
    status: htmlStatus(problem?.error),
    title: ownKeyTitle(texts.t, state),
    state,
    shownKey: securityKeyTexts(key, texts),
    typedName: problem?.typedName ?? null,
    isLast: !totp && keys.length === 1,
  };
}
