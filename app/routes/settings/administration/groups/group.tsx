import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { MEMBERS_PER_PAGE, viewGroup } from "#app/domain/group/list.server.ts";
import { listName } from "#app/domain/user/person-name.ts";
import { requireAdministration } from "#app/http/administration.server.ts";
import { settingsTexts } from "#app/http/page-data.server.ts";
import { NumberedPages } from "#app/routes/settings/administration/numbered-pages.tsx";
import { AdministrationPage, Banner } from "#app/routes/settings/administration/page.tsx";
import { pageNumberOf } from "#app/routes/settings/administration/page-number.server.ts";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { Row, Section } from "#app/ui/rows.tsx";
import { pageTitle } from "#app/ui/title.ts";
import { refusedBy } from "./group.server.ts";
import { GROUPS_PATH, groupPath } from "./texts.ts";

/** A group: what it does, its applications, and its members by name. */
export async function loader({ context, request, params }: LoaderFunctionArgs) {
  const { xsrf } = await requireAdministration(context, request, "manage groups");
  const view = await viewGroup(context, { id: params["id"] ?? "" }, pageNumberOf(request)).catch((error: unknown) => {
    throw refusedBy(error);
  });
  const { group, homeMembers, furtherMembers, withoutFactor, page, pages } = view;
  const { id, name, description, contact, requireMfa, isDefault } = group;
  const { t } = await settingsTexts(context, request);
  return {
    status: 200,
    title: pageTitle(t, name),
    state: { xsrf_token: xsrf },
    group: { id, name, description, contact, requireMfa, isDefault },
    applications: view.applications.map(({ id: clientId, name: clientName, access }) => {
      return { id: clientId, name: clientName, isOpenToAll: access === "everyone" };
    }),
    members: view.members.map((member) => {
      const { id: userId, username, isHome, status } = member;
      return { id: userId, name: listName(member), username, isHome, isBlocked: status === "blocked" };
    }),
    ...{ people: homeMembers + furtherMembers, withoutFactor, page, pages, first: (page - 1) * MEMBERS_PER_PAGE + 1 },
    done: new URL(request.url).searchParams.get("done"),
  };
}

/** The page at /manage/admin/groups/:id. */
export default function GroupPage() {
  const { t } = useTranslation();
  const data = useLoaderData<typeof loader>();
  const { group, withoutFactor, applications, done } = data;
  const path = groupPath(group.id);
  const words = { added: t("adminGroups.done.added"), changed: t("adminGroups.done.changed") };
  return (
    <AdministrationPage
      title={group.name}
      lead={group.description}
      action={<ButtonLink href={`${path}/edit`}>{t("adminGroups.edit")}</ButtonLink>}
      parent={{ to: GROUPS_PATH, text: t("adminGroups.title") }}
      banner={<Banner done={done} words={words} close={path} />}
    >
      <Section id="facts" heading={t("adminGroups.facts")} isSnug>
        <Row
          label={t("adminGroups.form.requireMfa")}
          value={
            <>
              <span>{group.requireMfa ? t("adminGroups.yes") : t("adminGroups.asConfigured")}</span>
              {group.requireMfa && withoutFactor > 0 ? (
                <span className="also">{t("adminGroups.stillWithout", { count: withoutFactor })}</span>
              ) : null}
            </>
          }
        />
        <Row
          label={t("adminGroups.form.isDefault")}
          value={group.isDefault ? t("adminGroups.yes") : t("adminGroups.no")}
        />
        <Row label={t("adminGroups.form.contact")} value={group.contact ?? t("adminGroups.none")} />
      </Section>
      <Section
        id="applications"
        heading={t("adminGroups.applicationsOpen", { count: applications.length })}
        lead={applications.length === 0 ? t("adminGroups.noApplications") : t("adminGroups.applicationsLead")}
        isSnug
      >
        {applications.map(({ id, name, isOpenToAll }) => (
          <Row key={id} label={name} value={isOpenToAll ? t("adminGroups.openToAll") : undefined} />
        ))}
      </Section>
      <Members {...data} />
      <p>
        <a className="line-link" href={`${path}/remove`}>
          {t("adminGroups.remove")}
        </a>
      </p>
    </AdministrationPage>
  );
}

type MembersProps = ReturnType<typeof useLoaderData<typeof loader>>;

function Members({ group, members, people, page, pages, first }: MembersProps): ReactNode {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="members">
      <div className="section-head">
        <h2 id="members">{t("adminGroups.members", { count: people })}</h2>
        {people === 0 ? <p className="small">{t("adminGroups.noMembers")}</p> : null}
      </div>
      {members.length === 0 ? null : (
        <table className="list" aria-labelledby="members">
          <thead>
            <tr>
              <th scope="col">{t("adminGroups.name")}</th>
              <th scope="col" className="what">
                {t("adminGroups.membership")}
              </th>
            </tr>
          </thead>
          <tbody>
            {members.map(({ id, name, username, isHome, isBlocked }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={`/manage/admin/people/${id}`}>{name}</a>
                  <small translate="no">{username}</small>
                </th>
                <td className="what">
                  {isHome ? t("adminGroups.isHome") : t("adminGroups.isFurther")}
                  {isBlocked ? <small>{t("adminGroups.isBlocked")}</small> : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <NumberedPages
        page={page}
        pages={pages}
        urlOf={(number) => `${groupPath(group.id)}?page=${number}#members`}
        summary={t("adminPages.range", { first, last: first + members.length - 1, total: people })}
      />
    </section>
  );
}
