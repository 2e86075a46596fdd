import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { listGroups } from "#app/domain/group/list.server.ts";
import { requireAdministration } from "#app/http/administration.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { AdministrationPage, Banner } from "#app/routes/settings/administration/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { GROUPS_PATH, groupPath } from "./texts.ts";

/** A row of the list. */
type GroupRow = {
  id: string;
  name: string;
  description: string | null;
  requireMfa: boolean;
  isDefault: boolean;
  people: number;
  applications: number;
};

/** The groups of the installation: those that are the home group of users, and all others. */
export async function loader({ context, request }: LoaderFunctionArgs) {
  const { xsrf } = await requireAdministration(context, request, "manage groups");
  const groups = await listGroups(context);
  const { t } = await settingsTexts(context, request);
  const rowsOf = (isOffice: boolean): GroupRow[] =>
    groups
      .filter(({ homeMembers }) => homeMembers > 0 === isOffice)
      .map(({ id, name, description, requireMfa, isDefault, homeMembers, furtherMembers, applications }) => {
        return { id, name, description, requireMfa, isDefault, applications, people: homeMembers + furtherMembers };
      });
  const done = new URL(request.url).searchParams.get("done");
  const title = pageTitle(t, t("adminGroups.title"));
  return { status: 200, title, state: { xsrf_token: xsrf }, offices: rowsOf(true), others: rowsOf(false), done };
}

/** The page at /manage/admin/groups. */
export default function Groups() {
  const { t } = useTranslation();
  const { offices, others, done } = useLoaderData<typeof loader>();
  return (
    <AdministrationPage
      title={t("adminGroups.title")}
      lead={t("adminGroups.lead")}
      action={<ButtonLink href={`${GROUPS_PATH}/add`}>{t("adminGroups.add")}</ButtonLink>}
      parent={{ to: "/", text: t("manage.areas.start") }}
      banner={<Banner done={done} words={{ removed: t("adminGroups.done.removed") }} close={GROUPS_PATH} />}
    >
      <GroupList
        id="offices"
        heading={t("adminGroups.offices", { count: offices.length })}
        lead={t("adminGroups.officesLead")}
        groups={offices}
      />
      <GroupList
        id="others"
        heading={t("adminGroups.others", { count: others.length })}
        lead={t("adminGroups.othersLead")}
        groups={others}
      />
    </AdministrationPage>
  );
}

type GroupListProps = { id: string; heading: string; lead: string; groups: readonly GroupRow[] };

function GroupList({ id, heading, lead, groups }: GroupListProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{heading}</h2>
        <p className="small">{lead}</p>
      </div>
      {groups.length === 0 ? null : (
        <table className="list" aria-labelledby={id}>
          <thead>
            <tr>
              <th scope="col">{t("adminGroups.name")}</th>
              <th scope="col" className="end number">
                {t("adminGroups.people")}
              </th>
              <th scope="col" className="end number">
                {t("adminGroups.applications")}
              </th>
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <GroupListRow key={group.id} {...group} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function GroupListRow({ id, name, people, applications, ...group }: GroupRow): ReactNode {
  const { t } = useTranslation();
  const words = [
    group.description,
    group.requireMfa ? t("adminGroups.mfaWord") : null,
    group.isDefault ? t("adminGroups.defaultWord") : null,
  ].filter((word) => word !== null);
  return (
    <tr>
      <th scope="row">
        <a href={groupPath(id)} translate="no">
          {name}
        </a>
        {words.length === 0 ? null : <small>{words.join(" · ")}</small>}
      </th>
      <td className="end number">{t("adminGroups.peopleUnit", { count: people })}</td>
      <td className="end number">{t("adminGroups.applicationsUnit", { count: applications })}</td>
    </tr>
  );
}
