import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import type { ClientLabel } from "#app/ui/page.tsx";
import { Page } from "#app/ui/page.tsx";
import type { PasswordNoticeState } from "#app/ui/page-state.ts";
import { resetHref } from "#app/ui/sign-in-request.ts";
import { Submit } from "#app/ui/submit.tsx";
import { SupportContact } from "#app/ui/support-contact.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

export type PasswordNoticeScreenProps = {
  state: PasswordNoticeState;
  client: ClientLabel | null;
  username: string;
  /** When the password was set, as a part of a sentence. */
  when: string;
  /** Whom to ask for help: an e-mail address, a web address or a sentence. */
  supportContact: string | null;
};

/** The page at /login/password-notice: a mailed link has set the password of a user who signed in with a provider. */
export function PasswordNoticeScreen({
  state,
  client,
  username,
  when,
  supportContact,
}: PasswordNoticeScreenProps): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  return (
    <Page
      title={t("passwordNotice.heading")}
      lead={t("passwordNotice.description", { when })}
      before={error ? <ErrorSummary code={error} problems={[{ text: t("common.formExpired") }]} /> : null}
      tone={error ? "error" : "attention"}
      client={client}
    >
      <div className="pair">
        <p>{t("passwordNotice.notYours")}</p>
        <a className="line-link" href={resetHref(username, state.login_challenge)}>
          {t("passwordNotice.change")}
        </a>
        {supportContact ? (
          <p>
            {t("passwordNotice.contact")} <SupportContact text={supportContact} />
          </p>
        ) : (
          <p>{t("passwordNotice.contactNone")}</p>
        )}
      </div>
      <p>{t("passwordNotice.yours")}</p>
      <form className="actions" method="post" action="/login/password-notice">
        <XsrfInput token={state.xsrf_token} />
        <input type="hidden" name="login_challenge" value={state.login_challenge} />
        <Submit>{t("passwordNotice.submit")}</Submit>
      </form>
    </Page>
  );
}

export function passwordNoticeTitle(t: TFunction, { error }: PasswordNoticeState): string {
  return pageTitle(t, t("passwordNotice.title"), error !== undefined);
}
