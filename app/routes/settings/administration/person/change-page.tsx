import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ErrorCode } from "#app/domain/base/errors.ts";
import { AdministrationPage } from "#app/routes/settings/administration/page.tsx";
import { AccountRow } from "#app/ui/account-row.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import type { Problem } from "#app/ui/error-summary.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import type { ChangePage } from "./change.server.ts";
import { Sections } from "./rows.tsx";

type ChangeFrameProps = {
  page: ChangePage;
  /** The fields of the form. */
  children?: ReactNode;
  /** True for a form that only chooses: it is sent by GET, and the next page names the effects. */
  isChoice?: boolean;
};

/** A page that changes a person: who is affected and how, then the form; or why the change is not possible now. */
export function ChangeFrame({ page: shown, children, isChoice = false }: ChangeFrameProps): ReactNode {
  const { t } = useTranslation();
  const page = useDocumentState(shown);
  const { state, heading, submit, isDangerous = false, refusal, sections, url, parent, name, office } = page;
  const error = state.error && refusal === undefined ? { code: state.error, problems: changeProblems(t, page) } : null;
  return (
    <AdministrationPage
      title={heading}
      parent={{ to: parent, text: t("adminPerson.title") }}
      error={error}
      tone={isDangerous ? "attention" : "normal"}
    >
      <AccountRow name={name}>
        <b translate="no">{name}</b>
        {office === null ? null : <small translate="no">{office}</small>}
      </AccountRow>
      {refusal === undefined ? (
        <>
          <Sections sections={sections} />
          <form className="flow measure" method={isChoice ? "get" : "post"} action={url}>
            {isChoice ? null : <XsrfInput token={state.xsrf_token} />}
            {children}
            <div className="actions natural">
              <Submit danger={isDangerous}>{submit}</Submit>
              <ButtonLink href={parent} quiet>
                {t("common.cancel")}
              </ButtonLink>
            </div>
          </form>
        </>
      ) : (
        <>
          <Notice kind="attention">
            <p>{refusal}</p>
          </Notice>
          <div className="actions">
            <ButtonLink href={parent} quiet>
              {t("adminHelp.back")}
            </ButtonLink>
          </div>
        </>
      )}
    </AdministrationPage>
  );
}

/** Returns the sentence for a field of a refused form, by the field's id; undefined for a field without an error. */
export function useFieldErrors(page: ChangePage): (field: string) => string | undefined {
  const { t } = useTranslation();
  const problems = changeProblems(t, page);
  return (field) => problems.find((problem) => problem.field === field)?.text;
}

/** The ids of the fields that errors of one field concern. */
const FIELDS: Partial<Record<ErrorCode, string>> = {
  "name is empty": "displayName",
  "user not found": "username",
  "last day is past": "lastDay",
};

/** Returns the sentences of a refused form. */
function changeProblems(t: TFunction, { state: { error }, invalid }: ChangePage): Problem[] {
  if (!error) return [];
  const problems = error === "user is invalid" ? invalid.flatMap((field) => invalidField(t, field)) : [];
  return problems.length > 0 ? problems : [{ text: errorText(t, error), field: FIELDS[error] }];
}

function invalidField(t: TFunction, field: string): Problem[] {
  switch (field) {
    case "displayName":
      return [{ field, text: t("adminChange.error.displayName") }];
    case "givenName":
      return [{ field, text: t("adminChange.error.givenName") }];
    case "familyName":
      return [{ field, text: t("adminChange.error.familyName") }];
    case "email":
      return [{ field, text: t("adminInvite.error.email") }];
    case "phone":
      return [{ field, text: t("adminChange.error.phone") }];
    default:
      return [];
  }
}

/** Returns the text of an error of the forms that change a person. */
function errorText(t: TFunction, code: ErrorCode): string {
  switch (code) {
    case "xsrf":
      return t("common.formExpired");
    case "name is empty":
      return t("adminChange.error.nameIsEmpty");
    case "user is invalid":
      return t("adminChange.error.userIsInvalid");
    case "user not found":
      return t("adminChange.error.otherUsername");
    case "last administrator":
      return t("adminChange.error.lastAdministrator");
    case "last day is past":
      return t("adminChange.error.lastDayIsPast");
    case "last sign-in method":
      return t("adminChange.error.lastSignInMethod");
    case "role is invalid":
      return t("adminChange.error.roleIsInvalid");
    case "group not found":
      return t("adminChange.error.groupNotFound");
    case "too many groups":
      return t("adminChange.error.tooManyGroups");
    case "account in use":
      return t("adminChange.error.accountInUse");
    case "person changed":
      return t("adminChange.error.personChanged");
    case "user has no e-mail":
      return t("adminChange.error.noEmail");
    case "throttled":
      return t("adminChange.error.tooManyInvitations");
    case "Could not parse request":
      return t("adminChange.error.notUnderstood");
    default:
      return t("adminChange.error.other");
  }
}
