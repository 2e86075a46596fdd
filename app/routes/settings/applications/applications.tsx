import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { withdrawConsent } from "#app/domain/consent/withdraw.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { readForm } from "#app/http/form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, lostFormUrl, requireSettings } from "#app/http/settings-session.server.ts";
import { distinctNames } from "#app/routes/settings/distinct-names.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { SettingsListPage } from "#app/routes/settings/page.tsx";
import { useDocumentState } from "#app/ui/document-context.tsx";
import { Row, Section } from "#app/ui/rows.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { type Application, type ApplicationsPage, loadApplicationsPage } from "./applications.server.ts";

const PATH = "/manage/applications";

const withdrawalForm = defineForm({ client_id: text() });

export async function loader({ context, request }: LoaderFunctionArgs) {
  const settings = await requireSettings(context, request);
  return respondWith(loadApplicationsPage(context, request, settings));
}

/** Withdraws the consent for one application. */
export async function action({ context, request }: ActionFunctionArgs) {
  const settings = await requireSettings(context, request);
  const { access } = settings;
  const { _xsrf, client_id: clientId } = await readForm(request, withdrawalForm);
  if (!isOwnSettingsForm(context, access, _xsrf)) {
    return respondWith(loadApplicationsPage(context, request, settings, "xsrf"));
  }
  const outcome = await withdrawConsent(context, access, { ...requestMetadata(context), clientId });
  if (outcome.kind === "unauthorized") return redirect303(lostFormUrl(PATH));
  // A consent that was withdrawn in the meantime is a success, too.
  return redirect303(`${PATH}?status=consent-withdrawn`);
}

/** The page at /manage/applications: the applications that have the user's consent. */
export default function Applications() {
  const { t } = useTranslation();
  const page: ApplicationsPage = useDocumentState(usePage<typeof loader, typeof action>());
  const { state, applications } = page;
  const names = distinctNames(applications.map(({ name }) => name));
  return (
    <SettingsListPage
      state={state}
      title={t("manageApplications.heading")}
      lead={applications.length > 0 ? t("manageApplications.intro") : t("manageApplications.none")}
    >
      {applications.length > 0 ? (
        <Section id="allowed" heading={t("manageApplications.listHeading")}>
          {applications.map((application, index) => (
            <ApplicationRow
              key={application.clientId}
              {...application}
              distinctName={names[index] ?? ""}
              xsrf={state.xsrf_token}
            />
          ))}
        </Section>
      ) : null}
      <p className="note">{t("manageApplications.ownNote")}</p>
    </SettingsListPage>
  );
}

type ApplicationRowProps = Application & { distinctName: string; xsrf: string };

function ApplicationRow({ clientId, name, distinctName, scopes, since, xsrf }: ApplicationRowProps): ReactNode {
  const { t } = useTranslation();
  const action = t("manage.actions.withdraw");
  const subject = t("manageApplications.access", { name: distinctName });
  return (
    <Row
      label={<span translate="no">{name}</span>}
      value={
        <>
          <span className="also">{t("manageApplications.since", { when: since })}</span>
          <ul className="scope-names">
            {scopes.map((scope) => (
              <li key={scope}>{scope}</li>
            ))}
          </ul>
        </>
      }
      action={
        <SettingsForm action={PATH} hiddenFields={{ _xsrf: xsrf, client_id: clientId }}>
          <Submit
            quiet
            busy={t("manageApplications.withdrawing")}
            label={t("manage.actionOn", { action, name: subject })}
          >
            {action}
          </Submit>
        </SettingsForm>
      }
    />
  );
}
