import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { blockPerson } from "#app/domain/person/change.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
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
import { ChangeFrame } from "./change-page.tsx";
import { endedAccess } from "./ended-access.server.ts";
import { reasonSchema } from "./reason.server.ts";

const RULE = { permission: "block people" } as const satisfies ChangeRule;

const blockForm = defineForm({ reason: reasonSchema });

export async function loader(args: LoaderFunctionArgs) {
  return showChange(await blockPage(await openChange(args, RULE)));
}

/** Blocks the person. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: blockForm,
    run: ({ context, ref }, { reason }) => blockPerson(context, ref, { reason }),
    page: blockPage,
    done: "blocked",
  });
}

async function blockPage(change: Change, refused?: Refused) {
  const { t } = change.texts;
  const texts = {
    heading: t("adminChange.block.heading"),
    submit: t("adminChange.block.submit"),
    isDangerous: true,
    sections: [
      { id: "then", heading: t("adminChange.then"), rows: await endedAccess(change) },
      {
        id: "stays",
        heading: t("adminChange.stays"),
        rows: [
          { label: t("adminChange.block.data"), lines: [t("adminChange.block.dataStays")] },
          { label: t("adminChange.unblock.submit"), lines: [t("adminChange.block.unblockStays")] },
        ],
      },
    ],
  };
  return changePage(change, "block", texts, { fields: { reason: refused?.values.reason ?? "" }, refused });
}

/** The page at /manage/admin/people/{id}/block. */
export default function Block() {
  const { t } = useTranslation();
  const page: ChangePage<{ reason: string }> = usePage<typeof loader, typeof action>();
  return (
    <ChangeFrame page={page}>
      <Field
        id="reason"
        name="reason"
        label={t("adminChange.block.reason")}
        hint={t("adminChange.block.reasonHint")}
        input={{ maxLength: 120, defaultValue: page.fields.reason }}
      />
    </ChangeFrame>
  );
}
