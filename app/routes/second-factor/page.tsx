import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { type CodeKind, type RefusalDetails, secondFactorProblems } from "#app/ui/factor-errors.ts";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { SecondFactorState } from "#app/ui/page-state.ts";
import { LostFactor } from "./lost-factor.tsx";

export type SecondFactorPageProps = Omit<RefusalDetails, "code"> & {
  state: SecondFactorState;
  client: ClientLabel | null;
  /** Display name of the person who signs in. */
  name: string;
  /** False where the web address has no place for security keys: an IP address. */
  keysWork: boolean;
  recoveryCodesLeft: number;
  /** Whom to ask for help: an e-mail address, a web address or a sentence. */
  supportContact?: string | null | undefined;
};

type FrameProps = {
  page: SecondFactorPageProps;
  title: string;
  /** The kind of code that the page's field asks for. */
  code?: CodeKind;
  /** For a page that people without their factor look at; `offersRecovery` where a recovery code is not asked for yet. */
  help?: "none" | "contact" | "recovery";
  children: ReactNode;
};

/** The frame of the step's pages: who signs in where, what went wrong, the page's own part, and help. */
export function SecondFactorPage({ page, title, code, help = "none", children }: FrameProps): ReactNode {
  const { t } = useTranslation();
  const { state, client, name, recoveryCodesLeft, supportContact } = page;
  const problems = secondFactorProblems(t, state, { ...page, code });
  const takesFocus = problems.every(({ field }) => field === undefined);
  return (
    <Page
      title={title}
      lead={<Emphasis text={t("mfaLogin.signingInAs", { name })} part={name} />}
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

/** The address at which the step asks for this factor; without one the step decides. */
export function methodHref({ loginChallenge }: SecondFactorState, method?: "totp" | "fido2" | "recovery"): string {
  const query = new URLSearchParams({ login_challenge: loginChallenge, ...(method ? { method } : {}) });
  return `/mfa/verify?${query}`;
}
