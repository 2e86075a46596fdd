import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Checkbox } from "#app/ui/checkbox.tsx";
import type { Problem } from "#app/ui/error-summary.tsx";
import { Field } from "#app/ui/field.tsx";
import { Submit } from "#app/ui/submit.tsx";
import { XsrfInput } from "#app/ui/xsrf-input.tsx";

/** The values of a group's form; an empty line is no line. */
export type GroupValues = {
  name: string;
  description: string;
  contact: string;
  requireMfa: boolean;
  isDefault: boolean;
};

type GroupFormProps = {
  /** URL of the page. */
  action: string;
  xsrf: string;
  values: GroupValues;
  problems: readonly Problem[];
  /** Hint of the check box that requires a second factor: for a group with members, how many have none. */
  mfaHint: string;
  /** Version of the group that the page shows; null for a new one. */
  seen: string | null;
  save: string;
  cancel: string;
};

/** The form of a new or an existing group. */
export function GroupForm({ action, xsrf, values, problems, mfaHint, seen, save, cancel }: GroupFormProps): ReactNode {
  const { t } = useTranslation();
  const problemAt = (name: string) => problems.find(({ field }) => field === name)?.text;
  const { name, description, contact, requireMfa, isDefault } = values;
  return (
    <form className="flow measure" method="post" action={action}>
      <XsrfInput token={xsrf} />
      {seen === null ? null : <input type="hidden" name="seen" value={seen} />}
      <Field
        id="name"
        name="name"
        label={t("adminGroups.form.name")}
        hint={t("adminGroups.form.nameHint")}
        error={problemAt("name")}
        input={{ defaultValue: name, required: true, maxLength: 100 }}
      />
      <Field
        id="description"
        name="description"
        label={t("adminGroups.form.description")}
        hint={t("adminGroups.form.descriptionHint")}
        error={problemAt("description")}
        input={{ defaultValue: description, maxLength: 300 }}
      />
      <Field
        id="contact"
        name="contact"
        label={t("adminGroups.form.contact")}
        hint={t("adminGroups.form.contactHint")}
        error={problemAt("contact")}
        input={{ defaultValue: contact, maxLength: 200 }}
      />
      <Checkbox
        id="requireMfa"
        name="require_mfa"
        label={t("adminGroups.form.requireMfa")}
        hint={mfaHint}
        isChecked={requireMfa}
      />
      <Checkbox
        id="isDefault"
        name="is_default"
        label={t("adminGroups.form.isDefault")}
        hint={t("adminGroups.form.isDefaultHint")}
        isChecked={isDefault}
      />
      <div className="actions natural">
        <Submit>{save}</Submit>
        <ButtonLink quiet href={cancel}>
          {t("common.cancel")}
        </ButtonLink>
      </div>
    </form>
  );
}
