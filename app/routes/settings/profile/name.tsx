import { getFormProps, getInputProps, useForm } from "@conform-to/react";
import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { changeName } from "#app/domain/profile/change-own.server.ts";
import type { FormFields } from "#app/http/define-form.server.ts";
import { type FormErrors, readSubmission } from "#app/http/form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { keepForm, useFormPage } from "#app/routes/settings/kept-form.tsx";
import { redirectNotAllowed } from "#app/routes/settings/page-data.server.ts";
import type { Problem } from "#app/ui/error-summary.tsx";
import { Field } from "#app/ui/field.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { problemAt, profileProblems } from "./problems.ts";
import { loadProfilePage, nameForm, type ProfilePage, requireAllowed } from "./profile.server.ts";
import { ProfileFrame, SaveActions } from "./profile-page.tsx";

const PATH = "/manage/profile/name";

export async function loader({ context, request }: LoaderFunctionArgs) {
  requireAllowed(context, "name");
  const settings = await requireFreshSettings(context, request);
  return respondWith(loadProfilePage(context, request, settings, { change: "name" }));
}

/** Changes the display name, the given name and the family name. */
export async function action({ context, request }: ActionFunctionArgs) {
  requireAllowed(context, "name");
  const settings = await requireFreshSettings(context, request);
  const { submission, posted, reply } = await readSubmission(request, nameForm);
  const reject = (errors: FormErrors = {}) =>
    respondWith(loadProfilePage(context, request, settings, { change: "name", lastResult: reply(errors) }));

  if (!isOwnSettingsForm(context, settings.access, posted("_xsrf"))) return reject({ formErrors: ["xsrf"] });
  if (submission.status !== "success") return reject();
  const { displayName, givenName, familyName } = submission.value;
  const names = { displayName, givenName, familyName };
  const outcome = await changeName(context, settings.access, { ...requestMetadata(context), ...names });
  switch (outcome.kind) {
    case "done":
      return redirect303("/manage?status=name-saved");
    case "refused": {
      const problems = Object.entries(outcome.problems).map(([field, code]) => [field, [code]]);
      return reject({ fieldErrors: Object.fromEntries(problems) });
    }
    default:
      return redirectNotAllowed(outcome, PATH);
  }
}

export const clientAction = keepForm;

/** The page at /manage/profile/name. */
export default function ChangeName() {
  const { t } = useTranslation();
  const { page, formKey } = useFormPage(usePage<typeof loader, typeof action>());
  const problems = profileProblems(t, page);
  return (
    <ProfileFrame
      title={t("manageProfile.editName.title")}
      lead={t("manageProfile.editName.description")}
      error={page.state.error}
      problems={problems}
    >
      <NameForm key={formKey} {...page} problems={problems} />
    </ProfileFrame>
  );
}

function NameForm({ state, lastResult, profile, problems }: ProfilePage & { problems: Problem[] }): ReactNode {
  const { t } = useTranslation();
  const { displayName, givenName, familyName } = profile;
  const [form, fields] = useForm<FormFields<typeof nameForm>>({
    id: "name-form",
    lastResult,
    defaultValue: { displayName, givenName: givenName ?? "", familyName: familyName ?? "" },
  });
  const inputOf = (field: keyof typeof fields & keyof ProfilePage["profile"]) =>
    getInputProps(fields[field], { type: "text", ariaAttributes: false });
  return (
    <SettingsForm
      {...getFormProps(form, { ariaAttributes: false })}
      className="flow"
      action={PATH}
      hiddenFields={{ _xsrf: state.xsrf_token }}
    >
      <Field
        id="displayName"
        label={t("manageProfile.editName.displayName")}
        hint={t("manageProfile.editName.displayNameHint")}
        error={problemAt(problems, "displayName")}
        input={{ ...inputOf("displayName"), required: true, maxLength: NAME_MAX_LENGTH, autoComplete: "name" }}
      />
      <Field
        id="givenName"
        label={t("manageProfile.editName.givenName")}
        hint={t("manageProfile.editName.optional")}
        error={problemAt(problems, "givenName")}
        input={{ ...inputOf("givenName"), maxLength: NAME_MAX_LENGTH, autoComplete: "given-name" }}
      />
      <Field
        id="familyName"
        label={t("manageProfile.editName.familyName")}
        hint={t("manageProfile.editName.optional")}
        error={problemAt(problems, "familyName")}
        input={{ ...inputOf("familyName"), maxLength: NAME_MAX_LENGTH, autoComplete: "family-name" }}
      />
      <SaveActions />
    </SettingsForm>
  );
}

const NAME_MAX_LENGTH = 200;
