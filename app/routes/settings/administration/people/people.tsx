import type { LoaderFunctionArgs } from "@remix-run/node";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requireAdministration } from "#app/http/administration.server.ts";
import { respondWith } from "#app/http/reply.server.ts";
import { NumberedPages } from "#app/routes/settings/administration/numbered-pages.tsx";
import { AdministrationPage, Banner } from "#app/routes/settings/administration/page.tsx";
import { ButtonLink } from "#app/ui/button-link.tsx";
import { usePage } from "#app/ui/use-page.ts";
import { loadPeoplePage, type PeopleListPage } from "./people.server.ts";
import { peopleUrl } from "./people-url.ts";

export async function loader({ context, request }: LoaderFunctionArgs) {
  const administration = await requireAdministration(context, request, "see people");
  return respondWith(loadPeoplePage(administration, request));
}

/** The page at /manage/admin/people: the people whom the role covers, by name. */
export default function People() {
  const { t } = useTranslation();
  const page: PeopleListPage = usePage<typeof loader, never>();
  const { rows, total, isMore, counts } = page;
  const count = counts?.all ?? total;
  return (
    <AdministrationPage
      title={t("adminPeople.title")}
      lead={isMore ? t("adminPeople.leadMore", { total }) : t("adminPeople.lead", { count })}
      parent={{ to: "/", text: t("manage.areas.start") }}
      banner={<PeopleBanner {...page} />}
      action={<ButtonLink href="/manage/admin/people/invite">{t("adminPeople.invite")}</ButtonLink>}
    >
      <Search {...page} />
      <Chips {...page} />
      {total === 0 ? <NobodyFound {...page} /> : <PeopleTable rows={rows} />}
      {total === 0 ? null : <Pages {...page} />}
      {total === 0 ? null : <Many {...page} />}
    </AdministrationPage>
  );
}

/** Reports the last change that leads to the list, by the parameter `done`. */
function PeopleBanner({ done, choice, page }: PeopleListPage): ReactNode {
  const { t } = useTranslation();
  const words = {
    invited: t("adminPeople.done.invited"),
    removed: t("adminPeople.done.removed"),
    withdrawn: t("adminPeople.done.withdrawn"),
  };
  return <Banner done={done} words={words} close={peopleUrl(choice, page)} />;
}

function Search({ choice, offices }: PeopleListPage): ReactNode {
  const { t } = useTranslation();
  return (
    <search>
      <form className="filter many" method="get" action="/manage/admin/people">
        {choice.filter === null ? null : <input type="hidden" name="show" value={choice.filter} />}
        <div className="field pair">
          <label htmlFor="q">{t("adminPeople.search")}</label>
          <input
            className="input"
            id="q"
            name="q"
            type="search"
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            enterKeyHint="search"
            defaultValue={choice.search}
          />
        </div>
        {offices.length < 2 ? null : (
          <div className="field pair">
            <label htmlFor="office">{t("adminPeople.office")}</label>
            <select className="input" id="office" name="office" defaultValue={choice.officeId ?? ""}>
              <option value="">{t("adminPeople.allOffices")}</option>
              {offices.map(({ id, name }) => (
                <option key={id} value={id} translate="no">
                  {name}
                </option>
              ))}
            </select>
          </div>
        )}
        <button className="button quiet" type="submit">
          {t("adminPeople.submit")}
        </button>
      </form>
    </search>
  );
}

/** The filters. One without a text does not compile. */
function Chips({ choice, filters, counts }: PeopleListPage): ReactNode {
  const { t, i18n } = useTranslation();
  return (
    <nav aria-label={t("adminPeople.choose")}>
      <ul className="chips">
        {filters.map((filter) => (
          <li key={filter}>
            <a href={peopleUrl({ ...choice, filter })} aria-current={choice.filter === filter ? "true" : undefined}>
              {t(`adminPeople.filter.${filter ?? "all"}`)}
              {counts === null ? null : (
                <>
                  {" "}
                  <span>{counts[filter ?? "all"].toLocaleString(i18n.language)}</span>
                </>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The roles of a table, which the style sheet would take away because it changes `display`. */
const ROLES = {
  table: { role: "table" },
  rowgroup: { role: "rowgroup" },
  row: { role: "row" },
  columnheader: { role: "columnheader" },
  rowheader: { role: "rowheader" },
  cell: { role: "cell" },
} as const;

function PeopleTable({ rows }: Pick<PeopleListPage, "rows">): ReactNode {
  const { t } = useTranslation();
  return (
    <table className="list" {...ROLES.table} aria-label={t("adminPeople.title")}>
      <thead {...ROLES.rowgroup}>
        <tr {...ROLES.row}>
          <th scope="col" {...ROLES.columnheader}>
            {t("adminPeople.column.name")}
          </th>
          <th scope="col" {...ROLES.columnheader}>
            {t("adminPeople.column.state")}
          </th>
          <th scope="col" {...ROLES.columnheader} className="end">
            {t("adminPeople.column.signedIn")}
          </th>
        </tr>
      </thead>
      <tbody {...ROLES.rowgroup}>
        {rows.map(({ id, name, note, states, signedIn }) => (
          <tr {...ROLES.row} key={id}>
            <th scope="row" {...ROLES.rowheader}>
              <a href={`/manage/admin/people/${id}`} translate="no">
                {name}
              </a>
              <small>{note}</small>
            </th>
            <td {...ROLES.cell}>
              {states.map(({ text, kind }) => (
                <span className="tag" data-kind={kind} key={text}>
                  {text}
                </span>
              ))}
            </td>
            <td className="end date" {...ROLES.cell} data-name={t("adminPeople.column.signedInShort")}>
              {signedIn}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Pages({ choice, page, pages, first, rows, total, isMore }: PeopleListPage): ReactNode {
  const { t } = useTranslation();
  const numbers = { first, last: first + rows.length - 1, total };
  const range = isMore ? t("adminPages.rangeMore", numbers) : t("adminPages.range", numbers);
  return <NumberedPages page={page} pages={pages} urlOf={(number) => peopleUrl(choice, number)} summary={range} />;
}

function NobodyFound({ choice, offices }: PeopleListPage): ReactNode {
  const { t } = useTranslation();
  const { search, officeId } = choice;
  const office = offices.find(({ id }) => id === officeId)?.name;
  const text = () => {
    if (search === "") return t("adminPeople.none.filter");
    if (office === undefined) return t("adminPeople.none.search", { search });
    return t("adminPeople.none.office", { office, search });
  };
  return (
    <section className="pair" aria-labelledby="none">
      <h2 id="none">{t("adminPeople.none.heading")}</h2>
      <p className="lead">{text()}</p>
      <a className="line-link" href="/manage/admin/people">
        {t("adminPeople.none.all")}
      </a>
    </section>
  );
}

/** The ways into and out of the list for many people at once. */
function Many({ choice, mayImport }: PeopleListPage): ReactNode {
  const { t } = useTranslation();
  return (
    <section className="pair" aria-labelledby="many">
      <h2 id="many">{t("adminPeople.many.heading")}</h2>
      <p className="lead">{t(mayImport ? "adminPeople.many.importLead" : "adminPeople.many.lead")}</p>
      <div className="actions">
        {mayImport ? (
          <ButtonLink href="/manage/admin/people/import" quiet>
            {t("adminPeople.many.import")}
          </ButtonLink>
        ) : null}
        <ButtonLink href={peopleUrl(choice, 1, "/manage/admin/people/export")} quiet>
          {t("adminPeople.many.export")}
        </ButtonLink>
      </div>
    </section>
  );
}
