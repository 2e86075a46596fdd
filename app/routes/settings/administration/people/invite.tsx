import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { invitePerson } from "#app/domain/user/invite-person.server.ts";
import { requireFreshAdministration } from "#app/http/administration.server.ts";
import { readSubmission } from "#app/http/form.server.ts";
import { refusal } from "#app/http/refusal.server.ts";
import { actionHeaders, redirect303, respondWith, throttledDetails } from "#app/http/reply.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";
import { GroupChecks } from "#app/routes/settings/administration/group-checks.tsx";
import { AdministrationPage } from "#app/routes/settings/administration/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Field } from "#app/ui/field.tsx";
import { FieldError, fieldErrorId } from "#app/ui/field-error.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";
import {
  type InvitePage,
  invitedOf,
  inviteFormOf,
  inviteValues,
  loadInvitePage,
  type Refused,
} from "./invite.server.ts";

const PEOPLE_PATH = "/manage/admin/people";

export const headers = actionHeaders;

export async function loader({ context, request }: LoaderFunctionArgs) {
  return respondWith(loadInvitePage(await requireFreshAdministration(context, request, "invite people"), request));
}

/** Adds a person and sends the invitation. */
export async function action({ context, request }: ActionFunctionArgs) {
  const administration = await requireFreshAdministration(context, request, "invite people");
  const { administrator } = administration;
  const { submission, posted } = await readSubmission(request, inviteFormOf(administrator));
  if (submission.status !== "success") throw refusal(400, "bad request");
  const values = inviteValues(submission.value);
  const reject = (refused: Refused, headers: HeadersInit = {}) =>
    respondWith(loadInvitePage(administration, request, { values, refused }), headers);
  if (!isOwnSettingsForm(context, administration.access, posted("_xsrf"))) return reject({ kind: "xsrf" });
  const outcome = await invitePerson(administration.context, administrator, invitedOf(values));
  switch (outcome.kind) {
    case "done":
      return redirect303(`${PEOPLE_PATH}?done=invited`);
    case "not allowed":
      throw refusal(404, "page_not_found");
    case "throttled":
      return reject(outcome, throttledDetails(outcome)[1]);
    case "refused":
      return reject(outcome);
  }
}

/** The page at /manage/admin/people/invite. */
export default function Invite() {
  const { t } = useTranslation();
  const page: InvitePage = usePage<typeof loader, typeof action>();
  const { error, problems } = page;
  return (
    <AdministrationPage
      title={t("adminInvite.title")}
      lead={t("adminInvite.lead")}
      parent={{ to: PEOPLE_PATH, text: t("adminPeople.title") }}
      error={error ? { code: error, problems } : null}
    >
      <div className="beside">
        <InviteForm page={page} />
        <Next mayImport={page.mayImport} />
      </div>
    </AdministrationPage>
  );
}

function InviteForm({ page }: { page: InvitePage }): ReactNode {
  const { t } = useTranslation();
  const { state, values, problems, choices, today } = page;
  const problemAt = (id: string) => problems.find(({ field }) => field === id)?.text;
  const input = { autoComplete: "off", required: true };
  return (
    <form className="flow" method="post" action={`${PEOPLE_PATH}/invite`}>
      <XsrfInput token={state.xsrf_token} />
      <Field
        id="given_name"
        name="given_name"
        label={t("adminInvite.givenName")}
        error={problemAt("given_name")}
        input={{ ...input, maxLength: 99, defaultValue: values.given_name }}
      />
      <Field
        id="family_name"
        name="family_name"
        label={t("adminInvite.familyName")}
        error={problemAt("family_name")}
        input={{ ...input, maxLength: 99, defaultValue: values.family_name }}
      />
      <Field
        id="email"
        name="email"
        label={t("adminInvite.email")}
        error={problemAt("email")}
        input={{ ...input, type: "email", maxLength: 254, defaultValue: values.email }}
      />
      {choices.offices.length === 0 ? null : <Office {...page} error={problemAt("office")} />}
      {choices.groups.length === 0 ? null : (
        <GroupChecks
          legend={t("adminInvite.groups")}
          choices={choices.groups.map(({ id, name }) => ({ id, name, isChecked: values.group.includes(id) }))}
        />
      )}
      <Field
        id="username"
        name="username"
        label={t("adminInvite.username")}
        hint={t("adminInvite.usernameHint")}
        error={problemAt("username")}
        input={{
          ...{ autoComplete: "off", autoCapitalize: "none", spellCheck: false },
          ...{ maxLength: 256, defaultValue: values.username },
        }}
      />
      <Field
        id="last_day"
        name="last_day"
        label={t("adminInvite.lastDay")}
        hint={t("adminInvite.lastDayHint")}
        error={problemAt("last_day")}
        input={{ type: "date", min: today, max: "9999-12-31", defaultValue: values.last_day }}
      />
      <div className="actions natural">
        <Submit>{t("adminInvite.submit")}</Submit>
        <ButtonLink href={PEOPLE_PATH} quiet>
          {t("common.cancel")}
        </ButtonLink>
      </div>
    </form>
  );
}

function Office({ choices, values, error }: Pick<InvitePage, "choices" | "values"> & { error: string | undefined }) {
  const { t } = useTranslation();
  return (
    <div className="field pair">
      <label htmlFor="office">{t("adminInvite.office")}</label>
      <FieldError field="office" text={error} />
      <select
        className="input"
        id="office"
        name="office"
        defaultValue={values.office}
        required={!choices.mayHaveNoOffice}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? fieldErrorId("office") : undefined}
      >
        {choices.mayHaveNoOffice ? <option value="">{t("adminInvite.noOffice")}</option> : null}
        {choices.offices.map(({ id, name }) => (
          <option key={id} value={id} translate="no">
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The steps after the invitation. */
function Next({ mayImport }: Pick<InvitePage, "mayImport">): ReactNode {
  const { t } = useTranslation();
  return (
    <aside className="tips" aria-labelledby="next">
      <div className="pair">
        <h2 id="next">{t("adminInvite.next.heading")}</h2>
        <ol className="pair">
          <li>{t("adminInvite.next.mail")}</li>
          <li>{t("adminInvite.next.password")}</li>
          <li>{t("adminInvite.next.list")}</li>
        </ol>
        {mayImport ? (
          <a className="line-link" href={`${PEOPLE_PATH}/import`}>
            {t("adminInvite.next.many")}
          </a>
        ) : null}
      </div>
    </aside>
  );
}
