import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { type CodeKind, type RefusalDetails, secondFactorProblems } from "#app/ui/factor-errors.ts";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { PendingInputs } from "#app/ui/pending-inputs.tsx";
import { SupportContact } from "#app/ui/support-contact.tsx";

export type StepPageProps = Omit<RefusalDetails, "code"> & {
  state: SecondFactorState;
  client: ClientLabel | null;
  /** Display name of the user who signs in; "" if it is unknown. */
  name: string;
  /** False if the web address does not allow security keys: an IP address. */
  keysWork: boolean;
  recoveryCodesLeft: number;
  /** Contact for help: an e-mail address, a web address or a sentence. */
  supportContact?: string | null | undefined;
};

type FrameProps = {
  page: StepPageProps;
  title: string;
  /** The kind of code that the page's field asks for. */
  code?: CodeKind;
  /** Help for a lost factor; `recovery` includes the link to the form for a recovery code. */
  help?: "none" | "contact" | "recovery";
  children: ReactNode;
};

/** The frame of the pages at /mfa/verify: user and application, errors, the page's own content, help. */
export function StepPage({ page, title, code, help = "none", children }: FrameProps): ReactNode {
  const { t } = useTranslation();
  const { state, client, name, recoveryCodesLeft, supportContact } = page;
  const problems = secondFactorProblems(t, state, { ...page, code });
  const takesFocus = problems.every(({ field }) => field === undefined);
  return (
    <Page
      title={title}
      lead={name ? <Emphasis text={t("mfaLogin.signingInAs", { name })} part={name} /> : null}
      before={state.error ? <ErrorSummary code={state.error} problems={problems} takesFocus={takesFocus} /> : null}
      tone={state.error ? "error" : "normal"}
      client={client}
    >
      {children}
      {help === "none" ? null : (
        <LostFactor
          recoveryHref={help === "recovery" && recoveryCodesLeft > 0 ? methodHref(state, "recovery") : null}
          lostHref={`/mfa/lost?${new URLSearchParams({ login_challenge: state.loginChallenge })}`}
          supportContact={supportContact ?? null}
        />
      )}
    </Page>
  );
}

/** Returns the URL of the page that asks for this method; without a method, the page selects one. */
export function methodHref(
  { loginChallenge }: Pick<SecondFactorState, "loginChallenge">,
  method?: "totp" | "fido2" | "recovery",
): string {
  const query = new URLSearchParams({ login_challenge: loginChallenge, ...(method ? { method } : {}) });
  return `/mfa/verify?${query}`;
}

type LostFactorProps = {
  /** Link to the form for a recovery code; null if no code is left or the page is that form. */
  recoveryHref: string | null;
  /** Link to the page that sends a factor reset link by mail. */
  lostHref: string;
  supportContact: string | null;
};

function LostFactor({ recoveryHref, lostHref, supportContact }: LostFactorProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="aside pair" aria-labelledby="lost">
      <p>
        <b id="lost">{t("mfaLogin.lost")}</b>
      </p>
      {recoveryHref ? (
        <a className="line-link" href={recoveryHref}>
          {t("recovery.use")}
        </a>
      ) : null}
      <a className="line-link" href={lostHref}>
        {t("mfaReset.lost.link")}
      </a>
      <p className="note">
        {t("mfaLogin.lostHint")} {supportContact ? <SupportContact text={supportContact} /> : null}
      </p>
    </section>
  );
}

/** Cancels the sign-in, for a form that also has another button. It looks like a link, but changes something. */
export function CancelButton(): ReactNode {
  const { t } = useTranslation();
  return (
    <button className="line-link" type="submit" name="cancel" value="1">
      {t("mfaLogin.abort")}
    </button>
  );
}

/** The form that cancels the sign-in, for a page without another form that posts to /mfa/verify. */
export function CancelForm({ state }: { state: SecondFactorState }): ReactNode {
  return (
    <form method="post" action="/mfa/verify">
      <PendingInputs {...state} />
      <CancelButton />
    </form>
  );
}
