import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { removePerson } from "#app/domain/person/change.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { Field, USERNAME_INPUT } from "#app/ui/field.tsx";
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
import { endedAccess } from "./ended-access.server.ts";

const RULE = { permission: "remove people", isFresh: true } as const satisfies ChangeRule;

const removeForm = defineForm({ username: text() });

export async function loader(args: LoaderFunctionArgs) {
  return showChange(await removePage(await openChange(args, RULE)));
}

/** Removes the person, and leads to the list. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: removeForm,
    run: ({ context, ref }, { username }) => removePerson(context, ref, { username }),
    page: removePage,
    done: "removed",
    to: "/manage/admin/people",
  });
}

async function removePage(change: Change, refused?: Refused) {
  const { t } = change.texts;
  const { user } = change;
  const texts = {
    heading: t("adminChange.remove.heading"),
    submit: t("adminChange.remove.submit"),
    isDangerous: true,
    sections: [
      {
        id: "then",
        heading: t("adminChange.then"),
        rows: [
          { label: t("adminChange.block.data"), lines: [t("adminChange.remove.dataEnd")] },
          ...(await endedAccess(change)),
        ],
      },
      {
        id: "stays",
        heading: t("adminChange.stays"),
        rows: [{ label: t("adminPerson.history"), lines: [t("adminChange.remove.historyStays")] }],
      },
    ],
  };
  return changePage(change, "remove", texts, { fields: { username: user.username }, refused });
}

/** The page at /manage/admin/people/{id}/remove. */
export default function Remove() {
  const { t } = useTranslation();
  const page: ChangePage<{ username: string }> = usePage<typeof loader, typeof action>();
  const errorAt = useFieldErrors(page);
  return (
    <ChangeFrame page={page}>
      <Field
        id="username"
        name="username"
        label={t("adminChange.remove.username")}
        hint={t("adminChange.remove.usernameHint", { username: page.fields.username })}
        error={errorAt("username")}
        input={{ ...USERNAME_INPUT, autoComplete: "off", required: true }}
      />
    </ChangeFrame>
  );
}
