import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { viewGroup } from "#app/domain/group/list.server.ts";
import { setGroup } from "#app/domain/group/set.server.ts";
import { versionOf } from "#app/domain/group/version.server.ts";
import { requireFreshAdministration } from "#app/http/administration.server.ts";
import { readSubmission } from "#app/http/form.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { htmlStatus, redirect303, respondWith } from "#app/http/reply.server.ts";
import { isOwnSettingsForm } from "#app/http/settings-session.server.ts";
import { AdministrationPage } from "#app/routes/settings/administration/page.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { usePage } from "#app/ui/use-page.ts";
import { editForm, inputOf, postedValues, problemsOf, type Refused, refusedBy, storedValues } from "./group.server.ts";
import { GroupForm, type GroupValues } from "./group-form.tsx";
import { groupPath, problemTexts } from "./texts.ts";

export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { xsrf } = await requireFreshAdministration(context, request, "manage groups");
  return respondWith(loadPage(context, request, { id: params["id"] ?? "", xsrf }));
}

/** Changes a group, unless another administrator has changed it since the page was loaded. */
export async function action({ context, request, params }: ActionFunctionArgs) {
  const administration = await requireFreshAdministration(context, request, "manage groups");
  const { posted } = await readSubmission(request, editForm);
  const id = params["id"] ?? "";
  const { xsrf, access } = administration;
  const typed = { values: postedValues(posted), seen: posted("seen") };
  const reject = (refused: Refused) => {
    // After a change by another administrator, the page shows the group as it is now.
    const shown = refused.code === "group changed" ? {} : { typed };
    return respondWith(loadPage(context, request, { id, xsrf, refused, ...shown }));
  };
  if (!isOwnSettingsForm(context, access, posted("_xsrf"))) return reject({ code: "xsrf", fields: [] });
  try {
    await setGroup(administration.context, { id }, inputOf(typed.values), { seen: typed.seen });
  } catch (error) {
    return reject(refusedBy(error));
  }
  return redirect303(`${groupPath(id)}?done=changed`);
}

/** `typed`: the values of a refused form, and the version of the group on which they are based. */
type Shown = { id: string; xsrf: string; refused?: Refused; typed?: { values: GroupValues; seen: string } };

async function loadPage(context: LoadContext, request: Request, { id, xsrf, refused, typed }: Shown) {
  const { t } = await settingsTexts(context, request);
  const { group, homeMembers, furtherMembers, withoutFactor } = await viewGroup(context, { id }, 1).catch(
    (error: unknown) => {
      throw refusedBy(error);
    },
  );
  const error = refused?.code;
  return {
    status: htmlStatus(error),
    title: pageTitle(t, t("adminGroups.edit"), error !== undefined),
    state: { xsrf_token: xsrf, ...(error ? { error } : {}) },
    error,
    problems: refused ? problemsOf(refused, problemTexts(t)) : [],
    values: typed?.values ?? storedValues(group),
    seen: typed?.seen ?? versionOf(group),
    group: { id, name: group.name, people: homeMembers + furtherMembers, withoutFactor },
  };
}

/** The page at /manage/admin/groups/:id/edit. */
export default function EditGroup() {
  const { t } = useTranslation();
  const { state, values, seen, error, problems, group } = usePage<typeof loader, typeof action>();
  return (
    <AdministrationPage
      title={t("adminGroups.edit")}
      lead={group.name}
      parent={{ to: groupPath(group.id), text: group.name }}
      error={error ? { code: error, problems } : null}
    >
      <GroupForm
        action={`${groupPath(group.id)}/edit`}
        xsrf={state.xsrf_token}
        values={values}
        problems={problems}
        mfaHint={t("adminGroups.form.withoutFactor", { count: group.withoutFactor, people: group.people })}
        seen={seen}
        save={t("adminGroups.save")}
        cancel={groupPath(group.id)}
      />
    </AdministrationPage>
  );
}
