import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { changeRole } from "#app/domain/person/change.server.ts";
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

const RULE = { permission: "manage roles", isFresh: true } as const satisfies ChangeRule;

const roleForm = defineForm({ role: z.enum(["none", "administrator", "help-desk"]), office: text() });

export async function loader(args: LoaderFunctionArgs) {
  return showChange(await rolePage(await openChange(args, RULE)));
}

/** Gives the person a role, or takes it away. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: roleForm,
    run: ({ context, ref }, { role, office }) =>
      changeRole(context, ref, { role: role === "none" ? null : role, officeId: office === "" ? null : office }),
    page: rolePage,
    done: "role-saved",
  });
}

async function rolePage(change: Change, refused?: Refused) {
  const { t } = change.texts;
  const { granted } = change;
  const groups = await listAllGroups(change.context);
  const texts = {
    heading: t("adminChange.role.heading"),
    submit: t("adminChange.role.submit"),
    sections: [
      {
        id: "then",
        heading: t("adminChange.role.means"),
        rows: [
          { label: t("admin.roles.administrator"), lines: [t("adminChange.role.administrator")] },
          { label: t("admin.roles.help-desk"), lines: [t("adminChange.role.helpDesk")] },
          { label: t("adminChange.role.factor"), lines: [t("adminChange.role.factorNeeded")] },
        ],
      },
    ],
  };
  const fields = {
    role: refused?.values.role ?? granted?.role ?? "none",
    office: refused?.values.office ?? granted?.officeId ?? "",
    offices: groups.map(({ id, name }) => ({ id, name })),
  };
  return changePage(change, "role", texts, { fields, refused });
}

/** The page at /manage/admin/people/{id}/role. */
export default function Role() {
  const { t } = useTranslation();
  const page: ChangePage<RoleFields> = usePage<typeof loader, typeof action>();
  const { role, office, offices } = page.fields;
  return (
    <ChangeFrame page={page}>
      <div className="field pair">
        <label htmlFor="role">{t("adminPerson.role")}</label>
        <select className="input" id="role" name="role" defaultValue={role}>
          <option value="none">{t("adminPerson.noRole")}</option>
          <option value="help-desk">{t("admin.roles.help-desk")}</option>
          <option value="administrator">{t("admin.roles.administrator")}</option>
        </select>
      </div>
      <div className="field pair">
        <label htmlFor="office">{t("adminChange.role.office")}</label>
        <select className="input" id="office" name="office" defaultValue={office}>
          <option value="">{t("adminChange.role.allOffices")}</option>
          {offices.map(({ id, name }) => (
            <option key={id} value={id} translate="no">
              {name}
            </option>
          ))}
        </select>
      </div>
    </ChangeFrame>
  );
}

type RoleFields = { role: string; office: string; offices: readonly { id: string; name: string }[] };
