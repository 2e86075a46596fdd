import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { dataVersionOf, editPerson } from "#app/domain/person/change.server.ts";
import { defineForm, notBlank, text } from "#app/http/define-form.server.ts";
import { Field } from "#app/ui/field.tsx";
import { usePage } from "#app/ui/use-page.ts";
import {
  type Change,
  type ChangePage,
  type ChangeRule,
  changePage,
  openChange,
  postChange,
  type Refused,
  showChange,
} from "./change.server.ts";
import { ChangeFrame, useFieldErrors } from "./change-page.tsx";

const RULE = { permission: "edit people", isFresh: true } as const satisfies ChangeRule;

const editForm = defineForm({
  displayName: notBlank("name is empty"),
  givenName: text(),
  familyName: text(),
  email: text(),
  phone: text(),
  seen: text(),
});

export async function loader(args: LoaderFunctionArgs) {
  return showChange(await editPage(await openChange(args, RULE)));
}

/** Changes names, e-mail address and phone, unless they have changed since the page was loaded. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: editForm,
    run: ({ context, ref }, { displayName, seen, ...optional }) =>
      editPerson(context, ref, { displayName: displayName.trim(), ...nullIfBlank(optional) }, { seen }),
    page: editPage,
    done: "saved",
  });
}

async function editPage(change: Change, refused?: Refused) {
  const { t } = change.texts;
  const { displayName, givenName, familyName, email, phone } = change.user;
  const stored: EditFields = {
    displayName,
    givenName: givenName ?? "",
    familyName: familyName ?? "",
    email: email ?? "",
    phone: phone ?? "",
    seen: dataVersionOf(change.user),
  };
  // After a change by someone else, the page shows the present data.
  const typed = refused?.error === "person changed" ? {} : refused?.values;
  const texts = { heading: t("adminChange.edit.heading"), submit: t("adminChange.save"), sections: [] };
  return changePage(change, "edit", texts, { fields: { ...stored, ...typed }, refused });
}

/** The page at /manage/admin/people/{id}/edit. */
export default function Edit() {
  const { t } = useTranslation();
  const page: ChangePage<EditFields> = usePage<typeof loader, typeof action>();
  const { displayName, givenName, familyName, email, phone, seen } = page.fields;
  const errorAt = useFieldErrors(page);
  // The data are not those of the user of this browser.
  const input = { autoComplete: "off", maxLength: 200 };
  return (
    <ChangeFrame page={page}>
      <input type="hidden" name="seen" value={seen} />
      <Field
        id="displayName"
        name="displayName"
        error={errorAt("displayName")}
        label={t("adminChange.edit.displayName")}
        input={{ ...input, required: true, defaultValue: displayName }}
      />
      <Field
        id="givenName"
        name="givenName"
        error={errorAt("givenName")}
        label={t("adminChange.edit.givenName")}
        input={{ ...input, maxLength: 100, defaultValue: givenName }}
      />
      <Field
        id="familyName"
        name="familyName"
        error={errorAt("familyName")}
        label={t("adminChange.edit.familyName")}
        input={{ ...input, maxLength: 100, defaultValue: familyName }}
      />
      <Field
        id="email"
        name="email"
        error={errorAt("email")}
        label={t("adminPerson.email")}
        hint={t("adminChange.edit.emailHint")}
        input={{ ...input, type: "email", maxLength: 254, defaultValue: email }}
      />
      <Field
        id="phone"
        name="phone"
        error={errorAt("phone")}
        label={t("adminPerson.phone")}
        input={{ ...input, type: "tel", maxLength: 50, defaultValue: phone }}
      />
    </ChangeFrame>
  );
}

type OptionalField = "givenName" | "familyName" | "email" | "phone";

type EditFields = Record<OptionalField | "displayName" | "seen", string>;

function nullIfBlank(values: Record<OptionalField, string>): Record<OptionalField, string | null> {
  const { givenName, familyName, email, phone } = values;
  const stored = (value: string) => value.trim() || null;
  return { givenName: stored(givenName), familyName: stored(familyName), email: stored(email), phone: stored(phone) };
}
