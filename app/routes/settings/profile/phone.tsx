import { getFormProps, getInputProps, useForm } from "@conform-to/react";
import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { changePhone } from "#app/domain/profile/change-own.server.ts";
import type { FormFields } from "#app/http/define-form.server.ts";
import { type FormErrors, readSubmission } from "#app/http/form.server.ts";
import { redirect303, respondWith } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { keepForm, useFormPage } from "#app/routes/settings/kept-form.tsx";
import { redirectNotAllowed } from "#app/routes/settings/page-data.server.ts";
import { Field } from "#app/ui/field.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { problemAt, profileProblems } from "./problems.ts";
import { loadProfilePage, type ProfilePage, phoneForm, requireAllowed } from "./profile.server.ts";
import { ProfileFrame, SaveActions } from "./profile-page.tsx";

const PATH = "/manage/profile/phone";

export async function loader({ context, request }: LoaderFunctionArgs) {
  requireAllowed(context, "phone");
  const settings = await requireFreshSettings(context, request);
  return respondWith(loadProfilePage(context, request, settings, { change: "phone" }));
}

/** Changes or removes the telephone number. */
export async function action({ context, request }: ActionFunctionArgs) {
  requireAllowed(context, "phone");
  const settings = await requireFreshSettings(context, request);
  const { submission, posted, reply } = await readSubmission(request, phoneForm);
  const reject = (errors: FormErrors = {}) =>
    respondWith(loadProfilePage(context, request, settings, { change: "phone", lastResult: reply(errors) }));

  if (!isOwnSettingsForm(context, settings.access, posted("_xsrf"))) return reject({ formErrors: ["xsrf"] });
  if (submission.status !== "success") return reject();
  const { phone } = submission.value;
  const outcome = await changePhone(context, settings.access, { ...requestMetadata(context), phone });
  switch (outcome.kind) {
    case "done":
      return redirect303(`/manage?status=${phone.trim() === "" ? "phone-removed" : "phone-saved"}`);
    case "refused":
      return reject({ fieldErrors: { phone: [outcome.code] } });
    default:
      return redirectNotAllowed(outcome, PATH);
  }
}

export const clientAction = keepForm;

/** The page at /manage/profile/phone. */
export default function ChangePhone() {
  const { t } = useTranslation();
  const { page, formKey } = useFormPage(usePage<typeof loader, typeof action>());
  const problems = profileProblems(t, page);
  return (
    <ProfileFrame
      title={t("manageProfile.editPhone.title")}
      lead={t("manageProfile.editPhone.description")}
      error={page.state.error}
      problems={problems}
    >
      <PhoneForm key={formKey} {...page} error={problemAt(problems, "phone")} />
    </ProfileFrame>
  );
}

function PhoneForm({ state, lastResult, profile, error }: ProfilePage & { error: string | undefined }): ReactNode {
  const { t } = useTranslation();
  const [form, fields] = useForm<FormFields<typeof phoneForm>>({
    id: "phone-form",
    lastResult,
    defaultValue: { phone: profile.phone ?? "" },
  });
  return (
    <SettingsForm
      {...getFormProps(form, { ariaAttributes: false })}
      className="flow"
      action={PATH}
      hiddenFields={{ _xsrf: state.xsrf_token }}
    >
      <Field
        id="phone"
        label={t("manageProfile.editPhone.label")}
        error={error}
        input={{
          ...getInputProps(fields.phone, { type: "tel", ariaAttributes: false }),
          maxLength: PHONE_MAX_LENGTH,
          autoComplete: "tel",
          enterKeyHint: "done",
        }}
      />
      <SaveActions />
    </SettingsForm>
  );
}

const PHONE_MAX_LENGTH = 50;
