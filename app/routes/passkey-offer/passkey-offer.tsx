import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findSubjectOfSession } from "#app/domain/sign-in-policy/live-session.server.ts";
import { finishOfferedPasskey } from "#app/domain/webauthn/offered-passkey.server.ts";
import { declineOffer } from "#app/domain/webauthn/passkey-offer.server.ts";
import { OFFER_PAUSE_DAYS } from "#app/domain/webauthn/passkey-options.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { firstKeyNames } from "#app/http/first-key-names.ts";
import { readForm } from "#app/http/form.server.ts";
import { isOwnForm } from "#app/http/own-form.server.ts";
import { textsOf } from "#app/http/page-data.server.ts";
import { respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { findSession } from "#app/oidc/session.server.ts";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { LineIcon } from "#app/ui/line-icon.tsx";
import { Page } from "#app/ui/page.tsx";
import { PASSKEY_ICON, PasskeyForm, passkeyTexts } from "#app/ui/passkey-form.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import {
  leaveOffer,
  loadPasskeyOffer,
  type OfferProblem,
  type PasskeyOfferPageProps,
  requireOffer,
  signInOf,
} from "./passkey-offer.server.ts";

const PATH = "/login/passkey-offer";

const offerForm = defineForm({ login_challenge: text(), sessionId: text(), credentialJson: text(), cancel: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  const challenge = new URL(request.url).searchParams.get("login_challenge") ?? "";
  return respondWith(loadPasskeyOffer(context, request, { challenge }));
}

/**
 * Registers the passkey that the browser created, or stores that the user declined (`cancel`), and continues the sign-in.
 * A refused passkey shows the page again; everything else continues, because the offer must not block a sign-in.
 */
export async function action({ context, request }: ActionFunctionArgs) {
  const { _xsrf, login_challenge: challenge, cancel, ...response } = await readForm(request, offerForm);
  const showAgain = (problem?: OfferProblem) =>
    respondWith(loadPasskeyOffer(context, request, { challenge, ...(problem ? { problem } : {}) }));
  const offer = await requireOffer(context, challenge);
  if (!(await isOwnForm(context, _xsrf))) return showAgain({ error: "xsrf" });
  if (cancel !== "") {
    await declineOffer(context, offer.subject.userId);
    return leaveOffer(context, offer);
  }
  // The form was submitted without the script.
  if (response.sessionId === "") return showAgain();
  const firstNames = firstKeyNames(await textsOf(context, request));
  const input = { ...requestMetadata(context), ...response, firstNames };
  const outcome = await finishOfferedPasskey(context, signInOf(context, offer), input);
  switch (outcome.kind) {
    case "done": {
      const session = await findSession(await context.oidc.provider(), offer.session.uid, context.clock);
      return leaveOffer(context, offer, await findSubjectOfSession(context, session));
    }
    case "security key refused":
      return showAgain({ error: outcome.kind, isTaken: outcome.reason === "taken" });
    case "throttled":
      return showAgain({ error: outcome.kind });
    default:
      return leaveOffer(context, offer);
  }
}

export default function PasskeyOffer() {
  return <PasskeyOfferPage {...usePage<typeof loader, typeof action>()} />;
}

/** Offers to set up a passkey after a sign-in with the password. */
function PasskeyOfferPage({ state, client, isTaken }: PasskeyOfferPageProps): ReactNode {
  const { t } = useTranslation();
  const { error, login_challenge: challenge } = state;
  const texts = passkeyTexts(t, {
    restartHref: `${PATH}?${new URLSearchParams({ login_challenge: challenge })}`,
    restart: t("passkeyOffer.skip"),
    success: t("passkeyOffer.success"),
    expired: t("passkeyOffer.expired"),
    confirm: t("passkeyOffer.expired"),
  });
  const hidden = (
    <>
      <XsrfInput token={state.xsrf_token} />
      <input type="hidden" name="login_challenge" value={challenge} />
      <input type="hidden" name="sessionId" defaultValue="" />
      <input type="hidden" name="credentialJson" defaultValue="" />
    </>
  );
  return (
    <Page
      title={t("passkeyOffer.heading")}
      lead={t("passkeyOffer.lead")}
      before={error ? <ErrorSummary code={error} problems={[{ text: problemText(t, error, isTaken) }]} /> : null}
      tone={error ? "error" : "normal"}
      client={client}
    >
      <ul className="scopes">
        <Reason icon={PASSKEY_ICON} title={t("passkeyOffer.touch")} hint={t("passkeyOffer.touchHint")} />
        <Reason icon={CLOCK} title={t("passkeyOffer.code")} hint={t("passkeyOffer.codeHint")} />
        <Reason icon={LOCK} title={t("passkeyOffer.password")} hint={t("passkeyOffer.passwordHint")} />
      </ul>
      <PasskeyForm
        action={PATH}
        purpose="offered-passkey"
        texts={texts}
        hidden={hidden}
        later={
          <button className="button quiet" type="submit" name="cancel" value="later">
            {t("passkeyOffer.later")}
          </button>
        }
      />
      <p className="note">
        {t("webauthn.passkey.shared")} {t("passkeyOffer.laterHint", { days: OFFER_PAUSE_DAYS })}
      </p>
    </Page>
  );
}

function Reason({ icon, title, hint }: { icon: string; title: string; hint: string }): ReactNode {
  return (
    <li>
      <LineIcon path={icon} strokeWidth={1.5} />
      <span>
        <b>{title}</b>
        <small>{hint}</small>
      </span>
    </li>
  );
}

function problemText(t: TFunction, error: OfferProblem["error"], isTaken: boolean): string {
  if (error === "xsrf") return t("common.formExpired");
  if (error === "throttled") return t("passkeyOffer.expired");
  return t(isTaken ? "webauthn.passkey.invalidState" : "webauthn.passkey.verification");
}

const CLOCK = "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.75 1.75";
const LOCK = "M4 9h12v8H4zM6.5 9V6.5a3.5 3.5 0 0 1 7 0V9M10 12.5v1.5";
