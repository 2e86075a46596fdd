import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { unblockPerson } from "#app/domain/person/change.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { usePage } from "#app/ui/use-page.ts";
import {
  type Change,
  type ChangeRule,
  changePage,
  openChange,
  postChange,
  type Refused,
  showChange,
} from "./change.server.ts";
import { ChangeFrame } from "./change-page.tsx";

const RULE = { permission: "block people", isFresh: true } as const satisfies ChangeRule;

const unblockForm = defineForm({});

export async function loader(args: LoaderFunctionArgs) {
  return showChange(await unblockPage(await openChange(args, RULE)));
}

/** Unblocks the person. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: unblockForm,
    run: ({ context, ref }) => unblockPerson(context, ref),
    page: unblockPage,
    done: "unblocked",
  });
}

async function unblockPage(change: Change, refused?: Refused) {
  const { t } = change.texts;
  const texts = {
    heading: t("adminChange.unblock.heading"),
    submit: t("adminChange.unblock.submit"),
    sections: [
      {
        id: "then",
        heading: t("adminChange.then"),
        rows: [{ label: t("adminChange.unblock.signIn"), lines: [t("adminChange.unblock.signInThen")] }],
      },
    ],
  };
  return changePage(change, "unblock", texts, { fields: {}, refused });
}

/** The page at /manage/admin/people/{id}/unblock. */
export default function Unblock() {
  return <ChangeFrame page={usePage<typeof loader, typeof action>()} />;
}
