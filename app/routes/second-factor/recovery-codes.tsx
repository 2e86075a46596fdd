import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { createFirstRecoveryCodes } from "#app/domain/second-factor/set-up.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { OVERLOAD_HEADERS, orOverloaded, orUnavailable } from "#app/http/overload.server.ts";
import { isOwnLoginForm } from "#app/http/own-form.server.ts";
import { type PageView, textsOf } from "#app/http/page-data.server.ts";
import { actionHeaders, htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { secondFactorProblems } from "#app/ui/factor-errors.ts";
import { NewRecoveryCodes } from "#app/ui/new-recovery-codes.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { requireOpenRequest, requireStep, type StepProblem, stepUrl } from "./second-factor.server.ts";
import { unavailableState } from "./unavailable-step.server.ts";

const codesForm = defineForm({ login_challenge: text(), mfa_token: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  return respondWith(loadPage(context, request, { challenge }));
}

/**
 * Creates the codes and shows them in this response, which is the only one that contains them; hence no redirect. A
 * second submission of the form creates no other codes.
 */
export async function action({ context, request }: ActionFunctionArgs) {
  const posted = await readForm(request, codesForm);
  return orUnavailable(context, request, {
    work: () => handleForm(context, request, posted),
    fallback: () => respondWith(loadUnavailableOffer(context, request, posted), OVERLOAD_HEADERS),
  });
}

type PostedForm = z.output<(typeof codesForm)["schema"]>;

async function handleForm(context: LoadContext, request: Request, posted: PostedForm) {
  const { _xsrf, login_challenge: challenge, mfa_token: mfaToken } = posted;
  await requireOpenRequest(context, challenge);
  const isOwn = await isOwnLoginForm(context, _xsrf);
  const made = isOwn
    ? await orOverloaded(() => createFirstRecoveryCodes(context, { ...requestMetadata(context), mfaToken }))
    : ({ kind: "unauthorized" } as const);
  if (made.kind === "overloaded") {
    const problem = { error: "overloaded" } as const;
    return respondWith(loadPage(context, request, { challenge, problem }), OVERLOAD_HEADERS);
  }
  const result = made.kind === "made" ? { codes: made.codes } : { problem: { error: "xsrf" } as const };
  return respondWith(loadPage(context, request, { challenge, ...result }));
}

type PageInput = { challenge: string; codes?: string[]; problem?: StepProblem };

/**
 * Loads the page that offers recovery codes after the set-up of a factor, or shows `codes`.
 * @throws a redirect to /mfa/verify if no factor was set up in this sign-in
 */
async function loadPage(
  context: LoadContext,
  request: Request,
  { challenge, codes, problem }: PageInput,
): Promise<PageView<SecondFactorState, RecoveryCodesPageProps>> {
  const { pending, description, state, client } = await requireStep(context, challenge, problem);
  if (!pending.setUp) throw redirect303(stepUrl("/mfa/verify", challenge));
  const { productName, timeZone } = context.config;
  return {
    status: htmlStatus(state.error),
    title: recoveryCodesTitle(await textsOf(context, request), state),
    state,
    client,
    codes: codes ?? null,
    name: description.displayName,
    username: description.username,
    productName,
    createdAt: context.clock.now(),
    timeZone,
  };
}

/** Loads the offer while the database is unavailable, with the posted fields. */
async function loadUnavailableOffer(
  context: LoadContext,
  request: Request,
  posted: PostedForm,
): Promise<PageView<SecondFactorState, RecoveryCodesPageProps>> {
  const state = unavailableState(context, posted);
  const title = recoveryCodesTitle(await textsOf(context, request), state);
  const { productName, timeZone } = context.config;
  const unknown = { client: null, codes: null, name: "", username: "" };
  return {
    status: htmlStatus(state.error),
    title,
    state,
    ...unknown,
    productName,
    createdAt: context.clock.now(),
    timeZone,
  };
}

export function recoveryCodesTitle(t: TFunction, state: SecondFactorState): string {
  return pageTitle(t, t("recovery.heading"), state.error !== undefined);
}

export const headers = actionHeaders;

export default function MfaRecoveryCodes() {
  return <RecoveryCodesPage {...usePage<typeof loader, typeof action>()} />;
}

export type RecoveryCodesPageProps = {
  state: SecondFactorState;
  client: ClientLabel | null;
  /** The formatted codes; null if the page offers to create them. */
  codes: readonly string[] | null;
  /** Display name of the user. */
  name: string;
  username: string;
  productName: string;
  createdAt: Date;
  /** Name of the time zone in which the date is shown. */
  timeZone: string;
};

/** Recovery codes after the set-up of a factor: the offer, then the codes. */
export function RecoveryCodesPage({ codes, ...props }: RecoveryCodesPageProps): ReactNode {
  return codes === null ? <Offer {...props} /> : <Codes {...props} codes={codes} />;
}

function Offer({ state, client }: Pick<RecoveryCodesPageProps, "state" | "client">): ReactNode {
  const { t } = useTranslation();
  const problems = secondFactorProblems(t, state, {});
  return (
    <Page
      title={t("manageCodes.heading")}
      lead={t("recovery.offer")}
      before={state.error ? <ErrorSummary code={state.error} problems={problems} /> : null}
      tone={state.error ? "error" : "normal"}
      client={client}
    >
      <div className="actions">
        <form method="post" action="/mfa/recovery-codes">
          <PendingInputs {...state} />
          <Submit>{t("recovery.create")}</Submit>
        </form>
        <form method="post" action="/mfa/verify">
          <PendingInputs {...state} />
          <Submit quiet>{t("recovery.later")}</Submit>
        </form>
      </div>
    </Page>
  );
}

function Codes(props: RecoveryCodesPageProps & { codes: readonly string[] }): ReactNode {
  const { t } = useTranslation();
  const { state, client, codes } = props;
  const title = useCodesTitle(props);
  return (
    <Page title={t("manageCodes.heading")} lead={t("recovery.description")} tone="attention" client={client} wide>
      <NewRecoveryCodes codes={codes} title={title} />
      <form className="actions" method="post" action="/mfa/verify">
        <PendingInputs {...state} />
        <Submit>{t("recovery.saved")}</Submit>
      </form>
    </Page>
  );
}

/** The lines above the printed or saved codes: user, product and date. */
function useCodesTitle({ name, username, productName, createdAt, timeZone }: Omit<RecoveryCodesPageProps, "codes">) {
  const { t } = useTranslation();
  const date = new Intl.DateTimeFormat(t("common.dateLocale"), { dateStyle: "long", timeZone }).format(createdAt);
  return t("recovery.printTitle", { name, username, product: productName, date });
}
