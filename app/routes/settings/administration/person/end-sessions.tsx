import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { endPersonSessions } from "#app/domain/person/change.server.ts";
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
import { endedAccess } from "./ended-access.server.ts";

const RULE = { permission: "block people" } as const satisfies ChangeRule;

const endSessionsForm = defineForm({});

export async function loader(args: LoaderFunctionArgs) {
  return showChange(await endSessionsPage(await openChange(args, RULE)));
}

/** Ends all sessions of the person. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: endSessionsForm,
    run: ({ context, ref }) => endPersonSessions(context, ref),
    page: endSessionsPage,
    done: "sessions-ended",
  });
}

async function endSessionsPage(change: Change, refused?: Refused) {
  const { t } = change.texts;
  const texts = {
    heading: t("adminChange.endSessions.heading"),
    submit: t("adminChange.endSessions.submit"),
    isDangerous: true,
    sections: [
      { id: "then", heading: t("adminChange.then"), rows: await endedAccess(change) },
      {
        id: "stays",
        heading: t("adminChange.stays"),
        rows: [{ label: t("adminChange.unblock.signIn"), lines: [t("adminChange.endSessions.signInStays")] }],
      },
    ],
  };
  return changePage(change, "end-sessions", texts, { fields: {}, refused });
}

/** The page at /manage/admin/people/{id}/end-sessions. */
export default function EndSessions() {
  return <ChangeFrame page={usePage<typeof loader, typeof action>()} />;
}
