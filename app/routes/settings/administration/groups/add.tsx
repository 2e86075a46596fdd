import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { addGroup } from "#app/domain/group/add.server.ts";
import { requireFreshAdministration } from "#app/http/administration.server.ts";
import { readSubmission } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";
import { AdministrationPage } from "#app/routes/settings/administration/page.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { addForm, inputOf, postedValues, problemsOf, type Refused, refusedBy } from "./group.server.ts";
import { GroupForm, type GroupValues } from "./group-form.tsx";
import { GROUPS_PATH, groupPath, problemTexts } from "./texts.ts";

const EMPTY: GroupValues = { name: "", description: "", contact: "", requireMfa: false, isDefault: false };

export async function loader({ context, request }: LoaderFunctionArgs) {
  const { xsrf } = await requireFreshAdministration(context, request, "manage groups");
  return respondWith(loadPage(context, request, { xsrf, values: EMPTY, refused: null }));
}

/** Adds a group. */
export async function action({ context, request }: ActionFunctionArgs) {
  const administration = await requireFreshAdministration(context, request, "manage groups");
  const { posted } = await readSubmission(request, addForm);
  const values = postedValues(posted);
  const reject = (refused: Refused) =>
    respondWith(loadPage(context, request, { xsrf: administration.xsrf, values, refused }));
  if (!isOwnSettingsForm(context, administration.access, posted("_xsrf"))) return reject({ code: "xsrf", fields: [] });
  try {
    const { id } = await addGroup(administration.context, inputOf(values));
    return redirect303(`${groupPath(id)}?done=added`);
  } catch (error) {
    return reject(refusedBy(error));
  }
}

type Shown = { xsrf: string; values: GroupValues; refused: Refused | null };

async function loadPage(context: LoadContext, request: Request, { xsrf, values, refused }: Shown) {
  const { t } = await settingsTexts(context, request);
  const problems = refused && problemsOf(refused, problemTexts(t));
  const error = refused?.code;
  const state = { xsrf_token: xsrf, ...(error ? { error } : {}) };
  const title = pageTitle(t, t("adminGroups.add"), refused !== null);
  return { status: htmlStatus(error), title, state, values, error, problems: problems ?? [] };
}

/** The page at /manage/admin/groups/add. */
export default function AddGroup() {
  const { t } = useTranslation();
  const { state, values, error, problems } = usePage<typeof loader, typeof action>();
  return (
    <AdministrationPage
      title={t("adminGroups.add")}
      lead={t("adminGroups.addLead")}
      parent={{ to: GROUPS_PATH, text: t("adminGroups.title") }}
      error={error ? { code: error, problems } : null}
    >
      <GroupForm
        action={`${GROUPS_PATH}/add`}
        xsrf={state.xsrf_token}
        values={values}
        problems={problems}
        mfaHint={t("adminGroups.form.requireMfaHint")}
        seen={null}
        save={t("adminGroups.add")}
        cancel={GROUPS_PATH}
      />
    </AdministrationPage>
  );
}
