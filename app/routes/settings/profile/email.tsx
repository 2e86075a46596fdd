import { getFormProps, getInputProps, useForm } from "@conform-to/react";
import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findPendingEmail, requestEmailChange, withdrawEmailChange } from "#app/domain/profile/request-email.server.ts";
import type { FormFields } from "#app/http/define-form.server.ts";
import { type FormErrors, readSubmission } from "#app/http/form.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { actionHeaders, redirect303, respondWith, throttledDetails } from "#app/http/reply.server.ts";
import { requestMetadata } from "#app/http/request-metadata.server.ts";
import { isOwnSettingsForm, requireFreshSettings } from "#app/http/settings-session.server.ts";
import { SettingsForm } from "#app/routes/settings/form.tsx";
import { keepForm, useFormPage } from "#app/routes/settings/kept-form.tsx";
import { type PendingTexts, redirectNotAllowed } from "#app/routes/settings/page-data.server.ts";
import { Emphasis } from "#app/ui/emphasis.tsx";
import { Field } from "#app/ui/field.tsx";
import { AccountName } from "#app/ui/rows.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { problemAt, profileProblems } from "./problems.ts";
import { emailForm, loadProfilePage, type ProfilePage, requireAllowed } from "./profile.server.ts";
import { ProfileFrame, SaveActions } from "./profile-page.tsx";

const PATH = "/manage/profile/email";

export async function loader({ context, request }: LoaderFunctionArgs) {
  requireAllowed(context, "email");
  const settings = await requireFreshSettings(context, request);
  return respondWith(loadProfilePage(context, request, settings, { change: "email" }));
}

/** Mails a link to a new address, or to the pending one again, or withdraws the pending change. */
export async function action({ context, request }: ActionFunctionArgs) {
  requireAllowed(context, "email");
  const settings = await requireFreshSettings(context, request);
  const { access } = settings;
  const { submission, posted, reply } = await readSubmission(request, emailForm);
  const reject = (errors: FormErrors = {}, details: { waitMinutes?: number } = {}, headers: HeadersInit = {}) => {
    const rejected = { change: "email", lastResult: reply(errors), ...details } as const;
    return respondWith(loadProfilePage(context, request, settings, rejected), headers);
  };

  if (!isOwnSettingsForm(context, access, posted("_xsrf"))) return reject({ formErrors: ["xsrf"] });
  if (submission.status !== "success") return reject();
  const { intent, email: typed } = submission.value;
  const metadata = requestMetadata(context);
  if (intent === "withdraw") {
    const withdrawn = await withdrawEmailChange(context, access, metadata);
    if (withdrawn.kind !== "done") return redirectNotAllowed(withdrawn, PATH);
    return redirect303("/manage?status=email-withdrawn");
  }
  const email = intent === "again" ? (await findPendingEmail(context, access))?.email : typed;
  // Confirmed, withdrawn or expired meanwhile.
  if (email === undefined) return redirect303(PATH);
  const { language: pageLanguage } = await settingsTexts(context, request);
  const outcome = await requestEmailChange(context, access, { ...metadata, email, pageLanguage });
  switch (outcome.kind) {
    case "done":
      return redirect303("/manage?status=email-sent");
    case "refused":
      return reject({ fieldErrors: { email: [outcome.code] } });
    case "throttled":
      return reject({ formErrors: ["throttled"] }, ...throttledDetails(outcome));
    default:
      return redirectNotAllowed(outcome, PATH);
  }
}

export const headers = actionHeaders;

export const clientAction = keepForm;

/** The page at /manage/profile/email. */
export default function ChangeEmail() {
  const { t } = useTranslation();
  const { page, formKey } = useFormPage(usePage<typeof loader, typeof action>());
  const { state, profile, pending } = page;
  const { email } = profile;
  const problems = profileProblems(t, page);
  return (
    <ProfileFrame
      title={t("manageProfile.editEmail.title")}
      lead={
        email === null ? (
          t("manageProfile.editEmail.currentNone")
        ) : (
          <Emphasis text={t("manageProfile.editEmail.current", { email })} part={email} />
        )
      }
      error={state.error}
      problems={problems}
    >
      {pending ? <PendingChange {...pending} xsrf={state.xsrf_token} /> : null}
      <EmailForm key={formKey} {...page} error={problemAt(problems, "email")} />
    </ProfileFrame>
  );
}

/** The change that waits for its confirmation, with buttons that send its link again and withdraw it. */
function PendingChange({ email, until, xsrf }: PendingTexts & { xsrf: string }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="flow">
      <div className="pair">
        <h2>{t("manageProfile.editEmail.pendingHeading")}</h2>
        <p>
          <b>
            <AccountName>{email}</AccountName>
          </b>
        </p>
        <p>{t("manageProfile.pending", { until })}</p>
        <p className="note">{t("manageProfile.editEmail.resendNote")}</p>
      </div>
      <div className="actions">
        <SettingsForm action={PATH} hiddenFields={{ _xsrf: xsrf, intent: "again" }}>
          <Submit quiet busy={t("manageProfile.editEmail.sending")}>
            {t("manageProfile.editEmail.again")}
          </Submit>
        </SettingsForm>
        <SettingsForm action={PATH} hiddenFields={{ _xsrf: xsrf, intent: "withdraw" }}>
          <Submit quiet>{t("manageProfile.editEmail.withdraw")}</Submit>
        </SettingsForm>
      </div>
    </div>
  );
}

function EmailForm({ state, lastResult, error }: ProfilePage & { error: string | undefined }): ReactNode {
  const { t } = useTranslation();
  const [form, fields] = useForm<FormFields<typeof emailForm>>({ id: "email-form", lastResult });
  return (
    <SettingsForm
      {...getFormProps(form, { ariaAttributes: false })}
      className="flow"
      action={PATH}
      hiddenFields={{ _xsrf: state.xsrf_token, intent: "request" }}
    >
      <Field
        id="email"
        label={t("manageProfile.editEmail.label")}
        hint={t("manageProfile.editEmail.explain")}
        error={error}
        input={{
          // The type "email" would refuse addresses with umlauts.
          ...getInputProps(fields.email, { type: "text", ariaAttributes: false }),
          inputMode: "email",
          required: true,
          autoComplete: "email",
          autoCapitalize: "none",
          autoCorrect: "off",
          spellCheck: false,
          enterKeyHint: "send",
        }}
      />
      <SaveActions busy={t("manageProfile.editEmail.sending")}>{t("manageProfile.editEmail.submit")}</SaveActions>
    </SettingsForm>
  );
}
