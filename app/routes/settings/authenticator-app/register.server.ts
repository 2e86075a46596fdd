import { findFactors } from "#app/domain/factor/factors.server.ts";
import { findOwnTotp, startOwnTotp } from "#app/domain/totp/own-totp.server.ts";
import { defineForm, type FormResult, firstError, notBlank } from "#app/http/define-form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { type PageView, settingsTexts } from "#app/http/page-data.server.ts";
import { drawQrCode } from "#app/http/qr-code.server.ts";
import { htmlStatus } from "#app/http/reply.server.ts";
import type { Settings } from "#app/http/settings-session.server.ts";
import { redirectNotAllowed, settingsState } from "#app/routes/settings/page-data.server.ts";
import type { RefusalDetails } from "#app/ui/factor-errors.ts";
import type { OwnTotpState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import type { TotpSecretProps } from "#app/ui/totp-secret.tsx";

export const codeForm = defineForm({ code: notBlank("invalid verification code") });

/** Details of a rejected code, beside its error. */
export type CodeErrorDetails = Omit<RefusalDetails, "code">;

export type RegisterTotpPage = PageView<
  OwnTotpState,
  CodeErrorDetails & {
    constraint: typeof codeForm.constraint;
    lastResult?: FormResult | undefined;
    /** Null when an authenticator app is set up already. */
    secret: TotpSecretProps | null;
  }
>;

type RejectedCode = CodeErrorDetails & { lastResult: FormResult };

/**
 * Loads the page that sets up an authenticator app, with the error of a rejected code. Creates the secret unless this
 * page session has one: a reload has to show the same secret, because an app may have scanned it.
 * @param path path of the page, to which the confirmation page returns
 */
export async function loadRegisterTotpPage(
  context: LoadContext,
  request: Request,
  settings: Settings,
  { path, rejected }: { path: string; rejected?: RejectedCode },
): Promise<RegisterTotpPage> {
  const pending = await findOrStartSetUp(context, settings, path);
  const secret = pending && { ...pending, qrCode: await drawQrCode(pending.otpauthUri) };
  const error = secret ? firstError(rejected?.lastResult) : "totp already registered";
  const state = {
    ...(await settingsState(context, settings)),
    ...(secret ? { qr_code: secret.qrCode, secret: secret.secretBase32 } : {}),
    ...(error ? { error } : {}),
  };
  const { t } = await settingsTexts(context, request);
  const title = pageTitle(t, t("manageTotp.title"), error !== undefined);
  return { status: htmlStatus(error), title, state, constraint: codeForm.constraint, secret, ...rejected };
}

/** Returns the secret of the set-up; null when an authenticator app is set up already. */
async function findOrStartSetUp(context: LoadContext, { access }: Settings, path: string) {
  const { totp } = await findFactors(context.store, access.userId);
  if (totp) return null;
  const pending = await findOwnTotp(context, access);
  if (pending) return pending;
  const started = await startOwnTotp(context, access);
  switch (started.kind) {
    case "started": {
      const { secretBase32, otpauthUri } = started;
      return { secretBase32, otpauthUri };
    }
    case "totp already registered":
      return null;
    default:
      throw redirectNotAllowed(started, path);
  }
}
