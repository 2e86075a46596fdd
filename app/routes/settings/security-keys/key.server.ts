import { findFactors } from "#app/domain/second-factor/factors.server.ts";
import { listOwnKeys } from "#app/domain/settings/security-keys.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import type { PageView } from "#app/http/page-data.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { securityKeyTexts, settingsState, timeTexts } from "#app/routes/settings/page-data.server.ts";
import type { SecurityKeyTexts } from "#app/routes/settings/second-factors.tsx";
import type { OwnKeyError, OwnKeyState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

export type SecurityKeyPage = PageView<
  OwnKeyState,
  {
    securityKey: SecurityKeyTexts;
    /** The typed name of a rejected form; else null. */
    typedName: string | null;
    /** True if the user has no other second factor. */
    isLastFactor: boolean;
  }
>;

type Input = { id: string; problem?: { error: OwnKeyError; typedName: string } };

/** Loads the page of one security key, with the error of a rejected form; null when the user has no key of this id. */
export async function loadSecurityKeyPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { id, problem }: Input,
): Promise<SecurityKeyPage | null> {
  const { access } = settings;
  const keys = await listOwnKeys(context, access);
  const key = keys.find((candidate) => candidate.id === id);
  if (!key) return null;
  const { totp } = await findFactors(context.store, access.userId);
  const texts = await timeTexts(context, request);
  const { t } = texts;
  return {
    status: htmlStatus(problem?.error),
    title: pageTitle(t, t("manageKey.title"), problem !== undefined),
    state: { ...(await settingsState(context, settings)), ...(problem ? { error: problem.error } : {}) },
    securityKey: securityKeyTexts(key, texts),
    typedName: problem?.typedName ?? null,
    isLastFactor: !totp && keys.length === 1,
  };
}
