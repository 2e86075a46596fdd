import type { TFunction } from "i18next";
import { findFirstKey } from "#app/domain/second-factor/key-set-up.server.ts";
import { findTotpSetUp } from "#app/domain/second-factor/set-up.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { drawQrCode } from "#app/http/qr-code.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { htmlStatus, redirect303 } from "#app/http/reply.server.ts";
import type { RefusalDetails } from "#app/ui/factor-errors.ts";
import type { ClientLabel } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";
import type { TotpSecretProps } from "#app/ui/totp-secret.tsx";
import { loadVerifyPage, requireStep, type StepProblem, stepUrl } from "./second-factor.server.ts";
import { loadUnavailableStep, type PostedStep, unavailableState } from "./unavailable-step.server.ts";
import type { VerifyPageProps } from "./verify-page.tsx";

export type TotpSetUpProps = Omit<RefusalDetails, "code"> &
  TotpSecretProps & { state: SecondFactorState; client: ClientLabel | null };

export type KeySetUpProps = Pick<RefusalDetails, "waitMinutes"> & {
  state: SecondFactorState;
  client: ClientLabel | null;
};

export type KeyNamingProps = { state: SecondFactorState; client: ClientLabel | null; keyName: string };

/** The props of each variant of the page; `step`: nothing can be set up, the page of the step shows the reason. */
export type SetUpPageProps =
  | ({ page: "totp" } & TotpSetUpProps)
  | ({ page: "key" } & KeySetUpProps)
  | ({ page: "name" } & KeyNamingProps)
  | ({ page: "step" } & VerifyPageProps);

/** The HTTP status, the title and state of the document, and the props of the page. */
type SetUpPageData = { status: number; title: string; state: SecondFactorState } & SetUpPageProps;

type SetUpInput = { challenge: string; method: string | null; problem?: StepProblem };

/** Errors after which the set-up cannot continue. */
const FINAL_ERRORS: ReadonlySet<string> = new Set(["factor already registered", "totp not found"]);

/**
 * Loads the page that sets up a factor during a sign-in, or names the security key that was set up in it.
 * @throws a redirect to /mfa/verify for a user who has a factor, or has not started the set-up of an app
 */
export async function loadSetUpPage(
  context: LoadContext,
  request: Request,
  { challenge, method, problem }: SetUpInput,
): Promise<SetUpPageData> {
  if (problem && FINAL_ERRORS.has(problem.error)) {
    return { page: "step", ...(await loadVerifyPage(context, request, { challenge, problem })) };
  }
  const step = await requireStep(context, challenge, problem);
  const { error: _error, ...refusal } = problem ?? { error: undefined };
  const { state, client, description } = step;
  const t = await textsOf(context, request);
  const status = htmlStatus(state.error);
  if (method === "fido2" && step.isSetUp && description.keysWork) {
    return { page: "key", status, title: keySetUpTitle(t, state), state, client, ...refusal };
  }
  const key = method === "fido2" ? await findFirstKey(context, step.pending) : null;
  if (key) return { page: "name", status, title: keyNamingTitle(t, state), state, client, keyName: key.name };
  const secret = step.isSetUp ? await findTotpSetUp(context, step.pending) : null;
  if (!secret) throw redirect303(stepUrl("/mfa/verify", challenge));
  const qrCode = await drawQrCode(secret.otpauthUri);
  return { page: "totp", status, title: totpSetUpTitle(t, state), state, client, qrCode, ...secret, ...refusal };
}

type PostedSetUp = PostedStep & { method: string; code?: string | undefined; name?: string | undefined };

/**
 * Loads the posted form while the database is unavailable: the choice of a factor, or the name of a security key.
 * @throws a Response 503 for the form whose page shows the secret of an app or asks for a key: it has to be loaded again
 */
export async function loadUnavailableSetUp(
  context: LoadContext,
  request: Request,
  posted: PostedSetUp,
): Promise<SetUpPageData> {
  const { code, name, method } = posted;
  if (name === undefined && (code !== undefined || method === "")) throw refusal(503, "overloaded");
  if (name === undefined) return { page: "step", ...(await loadUnavailableStep(context, request, posted, "set-up")) };
  const state = unavailableState(context, posted);
  const title = keyNamingTitle(await textsOf(context, request), state);
  return { page: "name", status: htmlStatus(state.error), title, state, client: null, keyName: name };
}

export function totpSetUpTitle(t: TFunction, state: SecondFactorState): string {
  return pageTitle(t, t("manageTotp.title"), state.error !== undefined);
}

function keyNamingTitle(t: TFunction, state: SecondFactorState): string {
  return pageTitle(t, t("manageFido2.naming.title"), state.error !== undefined);
}

export function keySetUpTitle(t: TFunction, state: SecondFactorState): string {
  return pageTitle(t, t("manageFido2.title"), state.error !== undefined);
}
