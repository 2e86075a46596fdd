import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { resendInvitation } from "#app/domain/user/invitations.server.ts";
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
import { toPersonChange } from "./invitation.server.ts";

const RULE = { permission: "invite people", isFresh: true } as const satisfies ChangeRule;

const resendForm = defineForm({});

export async function loader(args: LoaderFunctionArgs) {
  return showChange(await resendPage(await openChange(args, RULE)));
}

/** Mails an invited person another invitation. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: resendForm,
    run: async ({ context, ref }) => toPersonChange(await resendInvitation(context, ref.administrator, ref.id)),
    page: resendPage,
    done: "invited",
  });
}

async function resendPage(change: Change, refused?: Refused) {
  const { t } = change.texts;
  const { email } = change.user;
  const texts = {
    heading: t("adminChange.resend.heading"),
    submit: t("adminChange.resend.submit"),
    sections: [
      {
        id: "then",
        heading: t("adminChange.then"),
        rows: [
          { label: t("adminPerson.email"), lines: [email ?? t("adminPerson.none")] },
          { label: t("adminChange.withdraw.link"), lines: [t("adminChange.resend.olderEnds")] },
        ],
      },
    ],
  };
  return changePage(change, "resend", texts, { fields: {}, refused });
}

/** The page at /manage/admin/people/{id}/resend. */
export default function Resend() {
  return <ChangeFrame page={usePage<typeof loader, typeof action>()} />;
}
