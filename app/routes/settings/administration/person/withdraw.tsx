import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { isInvited } from "#app/domain/person/show.server.ts";
import { withdrawInvitation } from "#app/domain/user/invitations.server.ts";
import { defineForm } from "#app/http/define-form.server.ts";
import { redirect303 } from "#app/http/reply.server.ts";
import { usePage } from "#app/ui/use-page.ts";
import {
  type Change,
  type ChangeRule,
  changePage,
  openChange,
  personPath,
  postChange,
  type Refused,
  showChange,
} from "./change.server.ts";
import { ChangeFrame } from "./change-page.tsx";
import { toPersonChange } from "./invitation.server.ts";

const RULE = { permission: "invite people" } as const satisfies ChangeRule;

const withdrawalForm = defineForm({});

export async function loader(args: LoaderFunctionArgs) {
  const change = await openChange(args, RULE);
  if (!(await isInvited(change.context, change.user.id))) throw redirect303(personPath(change.user.id));
  return showChange(await withdrawalPage(change));
}

/** Removes an invited person, and leads to the list. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: withdrawalForm,
    run: async ({ context, ref }) => toPersonChange(await withdrawInvitation(context, ref.administrator, ref.id)),
    page: withdrawalPage,
    done: "withdrawn",
    to: "/manage/admin/people",
  });
}

async function withdrawalPage(change: Change, refused?: Refused) {
  const { t } = change.texts;
  const texts = {
    heading: t("adminChange.withdraw.heading"),
    submit: t("adminChange.withdraw.submit"),
    isDangerous: true,
    sections: [
      {
        id: "then",
        heading: t("adminChange.then"),
        rows: [
          { label: t("adminChange.withdraw.link"), lines: [t("adminChange.withdraw.linkEnds")] },
          { label: t("adminChange.block.data"), lines: [t("adminChange.withdraw.dataEnd")] },
        ],
      },
    ],
  };
  return changePage(change, "withdraw", texts, { fields: {}, refused });
}

/** The page at /manage/admin/people/{id}/withdraw. */
export default function Withdraw() {
  return <ChangeFrame page={usePage<typeof loader, typeof action>()} />;
}
