import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { moveToOffice } from "#app/domain/person/change.server.ts";
import { listAllGroups } from "#app/domain/person/show.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
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
import { changedAccess } from "./memberships.server.ts";

const RULE = { permission: "edit people", isFresh: true } as const satisfies ChangeRule;

const officeForm = defineForm({ office: text() });

/** Shows the choice; with the parameter `office`, what it changes and the form. An empty one is "none". */
export async function loader(args: LoaderFunctionArgs) {
  const change = await openChange(args, RULE);
  return showChange(await officePage(change, new URL(args.request.url).searchParams.get("office")));
}

/** Changes the home group. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: officeForm,
    run: ({ context, ref }, { office }) => moveToOffice(context, ref, office === "" ? null : office),
    page: (change, refused) => officePage(change, refused.values.office ?? null, refused),
    done: "office-saved",
  });
}

async function officePage(change: Change, chosen: string | null, refused?: Refused) {
  const {
    context,
    groups,
    texts: { t },
    user,
  } = change;
  const all = (await listAllGroups(context)).filter(({ id }) => id !== user.groupId);
  const office = all.find(({ id }) => id === chosen) ?? null;
  const isChosen = office !== null || (chosen === "" && user.groupId !== null);
  const further = groups.further.filter(({ id }) => id !== office?.id);
  const move = {
    old: groups.office?.name ?? t("adminPerson.noOffice"),
    new: office?.name ?? t("adminPerson.noOffice"),
  };
  const then = {
    id: "then",
    heading: t("adminChange.then"),
    rows: [{ label: t("adminPerson.office"), lines: [t("adminChange.office.move", move)] }],
  };
  const texts = {
    heading: t("adminChange.office.heading"),
    submit: isChosen ? t("adminChange.office.submit") : t("common.continue"),
    isDangerous: isChosen,
    sections: isChosen ? [then, await changedAccess(change, { office, further })] : [],
  };
  const fields = {
    chosen: isChosen ? (office?.id ?? "") : null,
    hasOffice: user.groupId !== null,
    offices: all.map(({ id, name }) => ({ id, name })),
  };
  return changePage(change, "office", texts, { fields, refused });
}

type OfficeFields = { chosen: string | null; hasOffice: boolean; offices: readonly { id: string; name: string }[] };

/** The page at /manage/admin/people/{id}/office. */
export default function Office() {
  const { t } = useTranslation();
  const page: ChangePage<OfficeFields> = usePage<typeof loader, typeof action>();
  const { chosen, hasOffice, offices } = page.fields;
  if (chosen !== null) {
    return (
      <ChangeFrame page={page}>
        <input type="hidden" name="office" value={chosen} />
      </ChangeFrame>
    );
  }
  return (
    <ChangeFrame page={page} isChoice>
      <div className="field pair">
        <label htmlFor="office">{t("adminChange.office.new")}</label>
        <select className="input" id="office" name="office" required>
          {offices.map(({ id, name }) => (
            <option key={id} value={id} translate="no">
              {name}
            </option>
          ))}
          {hasOffice ? <option value="">{t("adminPerson.noOffice")}</option> : null}
        </select>
      </div>
    </ChangeFrame>
  );
}
