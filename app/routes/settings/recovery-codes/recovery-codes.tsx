import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { createOwnRecoveryCodes } from "#app/domain/recovery-code/own-codes.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { OVERLOAD_HEADERS, orOverloaded } from "#app/http/overload.server.ts";
import { actionHeaders, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { SettingsPage } from "#app/routes/settings/page.tsx";
import { redirectNotAllowed } from "#app/routes/settings/page-data.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { ErrorSummary } from "#app/ui/error-summary.tsx";
import { NewRecoveryCodes } from "#app/ui/new-recovery-codes.tsx";
import { Notice } from "#app/ui/notice.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { loadRecoveryCodesPage, type RecoveryCodesPage, type RecoveryCodesResult } from "./recovery-codes.server.ts";

const PATH = "/manage/mfa/recovery-codes";
const FACTORS_PATH = "/manage/mfa";

const codesForm = defineForm({});

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  return respondWith(loadRecoveryCodesPage(context, request, settings));
}

/**
 * Creates recovery codes. The response contains them instead of a redirect, because only their hashes are stored. A
 * second submission replaces them.
 */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireFreshSettings(context, request);
  const { _xsrf } = await readForm(request, codesForm);
  const respond = (result: RecoveryCodesResult, headers: Record<string, string> = {}) =>
    respondWith(loadRecoveryCodesPage(context, request, settings, result), headers);

  if (!isOwnSettingsForm(context, settings.access, _xsrf)) return respond({ error: "xsrf" });
  const outcome = await orOverloaded(() => createOwnRecoveryCodes(context, settings.access, requestMetadata(context)));
  switch (outcome.kind) {
    case "made":
      return respond({ codes: outcome.codes });
    case "overloaded":
      return respond({ error: "overloaded" }, OVERLOAD_HEADERS);
    case "no factor":
      return respond({});
    default:
      return redirectNotAllowed(outcome, PATH);
  }
}

export const headers = actionHeaders;

/** The page at /manage/mfa/recovery-codes: the form that creates the codes, then once the codes. */
export default function RecoveryCodes() {
  const { t } = useTranslation();
  const page: RecoveryCodesPage = useDocumentState(usePage<typeof loader, typeof action>());
  if (!page.created) return <CreationForm {...page} />;
  return (
    <SettingsPage title={t("manageCodes.heading")} lead={t("recovery.description")} tone="attention">
      <div className="flow">
        <NewRecoveryCodes {...page.created} />
        <div className="actions">
          <ButtonLink href={`${FACTORS_PATH}?status=codes-stored`}>{t("recovery.saved")}</ButtonLink>
        </div>
      </div>
    </SettingsPage>
  );
}

function CreationForm({ state, isProtected, codesLeft }: RecoveryCodesPage): ReactNode {
  const { t } = useTranslation();
  const { error } = state;
  const errorText = t(error === "overloaded" ? "serverError.overload.description" : "common.formExpired");
  return (
    <SettingsPage
      title={t("manageCodes.heading")}
      lead={t(isProtected ? "recovery.offer" : "manageCodes.noFactor")}
      parent="/manage/mfa"
      before={error ? <ErrorSummary code={error} problems={[{ text: errorText }]} /> : null}
      tone={error ? "error" : "normal"}
    >
      {codesLeft > 0 ? (
        <Notice kind="attention">
          <p>{t("manageCodes.replaces", { count: codesLeft })}</p>
        </Notice>
      ) : null}
      {isProtected ? (
        <SettingsForm className="actions" action={PATH} hiddenFields={{ _xsrf: state.xsrf_token }}>
          <Submit>{t("recovery.create")}</Submit>
          <ButtonLink href={FACTORS_PATH} quiet>
            {t("managePassword.abort")}
          </ButtonLink>
        </SettingsForm>
      ) : (
        <div className="actions">
          <ButtonLink href="/manage/mfa/register-totp">{t("manageMfa.totp.add")}</ButtonLink>
        </div>
      )}
    </SettingsPage>
  );
}
