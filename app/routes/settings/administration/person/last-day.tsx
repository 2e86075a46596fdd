import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { dayOf, daySchema } from "#app/domain/base/day.ts";
import { changeLastDay } from "#app/domain/person/change.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
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

const RULE = { permission: "block people", isFresh: true } as const satisfies ChangeRule;

const lastDayForm = defineForm({ lastDay: text().pipe(z.union([z.literal("").transform(() => null), daySchema])) });

export async function loader(args: LoaderFunctionArgs) {
  return showChange(await lastDayPage(await openChange(args, RULE)));
}

/** Sets or removes the last day. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: lastDayForm,
    run: ({ context, ref }, { lastDay }) => changeLastDay(context, ref, lastDay),
    page: lastDayPage,
    done: "last-day-saved",
  });
}

async function lastDayPage(change: Change, refused?: Refused) {
  const { t } = change.texts;
  const {
    user,
    texts: { now, timeZone },
  } = change;
  const texts = {
    heading: t("adminChange.lastDay.heading"),
    submit: t("adminChange.save"),
    sections: [
      {
        id: "then",
        heading: t("adminChange.lastDay.then"),
        rows: [
          { label: t("adminChange.block.submit"), lines: [t("adminChange.lastDay.blocks")] },
          { label: t("adminChange.block.data"), lines: [t("adminChange.block.dataStays")] },
        ],
      },
    ],
  };
  const fields = { lastDay: refused?.values.lastDay ?? user.lastDay ?? "", today: dayOf(now, timeZone) };
  return changePage(change, "last-day", texts, { fields, refused });
}

/** The page at /manage/admin/people/{id}/last-day. */
export default function LastDay() {
  const { t } = useTranslation();
  const page: ChangePage<{ lastDay: string; today: string }> = usePage<typeof loader, typeof action>();
  const { lastDay, today } = page.fields;
  const errorAt = useFieldErrors(page);
  return (
    <ChangeFrame page={page}>
      <Field
        id="lastDay"
        name="lastDay"
        error={errorAt("lastDay")}
        label={t("adminPerson.lastDay")}
        hint={t("adminChange.lastDay.hint")}
        input={{ type: "date", min: today, max: "9999-12-31", defaultValue: lastDay }}
      />
    </ChangeFrame>
  );
}
