import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Role } from "#app/domain/role/role.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { initials } from "#app/ui/account-row.tsx";
import { AddressText } from "#app/ui/address-text.tsx";
import { administrationPages } from "#app/ui/administration-pages.ts";
import { Notice } from "#app/ui/notice.tsx";
import { Row, RowLink, Section } from "#app/ui/rows.tsx";
import { SideNavigation } from "#app/ui/side-navigation.tsx";
import { SiteHeader } from "#app/ui/site-header.tsx";
import { ContactLine } from "#app/ui/support-contact.tsx";
import type { StartPage as StartPageProps, Tile } from "./start.server.ts";

/** The start page of a signed-in user: the applications, the login settings, the last sign-in. */
export function StartPage({ state, tiles, contact, lastSignIn, role }: StartPageProps): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      <SiteHeader
        name={state.display_name}
        picture={state.picture}
        // A GET ends nothing: the page that it leads to asks first.
        signOut={{ method: "get", action: ENGINE_ROUTES.end_session }}
      />
      <SideNavigation area="start" mayAdminister={role !== null} />
      <div className="sheet">
        <main className="flow sections" id="main">
          <div className="pair">
            <h1>{t("start.heading")}</h1>
            {tiles.length > 0 ? <p className="lead">{t("start.lead")}</p> : null}
          </div>
          {tiles.length > 0 ? <Tiles tiles={tiles} /> : <NoApplication contact={contact} />}
          <Account lastSignIn={lastSignIn} />
          {role === null ? null : <AdministrationRows role={role} />}
        </main>
      </div>
    </>
  );
}

function Tiles({ tiles }: { tiles: readonly Tile[] }): ReactNode {
  return (
    <ul className="tiles">
      {tiles.map((tile) => (
        <li key={tile.id}>
          {tile.href === null ? (
            <p className="account tile">
              <TileContent {...tile} />
            </p>
          ) : (
            <a className="account tile" href={tile.href}>
              <TileContent {...tile} />
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

function TileContent({ name, host, logoUrl }: Tile): ReactNode {
  const { t } = useTranslation();
  return (
    <>
      {logoUrl === null ? (
        <span className="initials" aria-hidden="true">
          {lettersOf(name)}
        </span>
      ) : (
        <img className="logo" src={logoUrl} alt="" />
      )}
      <span>
        <b translate="no">{name}</b> <small>{host === null ? t("start.noAddress") : <AddressText text={host} />}</small>
      </span>
    </>
  );
}

/** Returns the initials of a name; of a single word the first two letters, because many applications have one. */
function lettersOf(name: string): string {
  const letters = initials(name);
  if (Array.from(letters).length > 1) return letters;
  return Array.from(name.trim()).slice(0, 2).join("").toLocaleUpperCase("en");
}

/** Names whom to ask. */
function NoApplication({ contact }: { contact: string | null }): ReactNode {
  const { t } = useTranslation();
  return (
    <Notice kind="info" word={t("start.none.word")}>
      <p>{t(contact === null ? "start.none.ask" : "start.none.contact")}</p>
      {contact === null ? null : <ContactLine text={contact} subject={t("start.none.subject")} />}
    </Notice>
  );
}

function Account({ lastSignIn }: Pick<StartPageProps, "lastSignIn">): ReactNode {
  const { t } = useTranslation();
  const settings = t("manage.title");
  const activity = t("manage.access.activity");
  return (
    <Section id="account" heading={t("start.account")}>
      <Row
        label={settings}
        value={t("start.settings")}
        action={
          <RowLink to="/manage/open" about={settings}>
            {t("start.open")}
          </RowLink>
        }
      />
      <Row
        label={lastSignIn ? t("start.lastSignIn") : activity}
        value={lastSignIn ? t("start.signedIn", lastSignIn) : t("manage.access.activityHint")}
        action={
          <RowLink to="/manage/open?to=/manage/activity" about={activity}>
            {t("manage.actions.view")}
          </RowLink>
        }
      />
    </Section>
  );
}

/** The pages of the administration that the role has: narrow windows have no side navigation. */
function AdministrationRows({ role }: { role: Role }): ReactNode {
  const { t } = useTranslation();
  return (
    <Section id="administration" heading={t("admin.title")}>
      {administrationPages(role).map(({ to, text, hint }) => (
        <Row
          key={to}
          label={t(text)}
          value={t(hint)}
          action={
            <RowLink to={to} about={t(text)}>
              {t("manage.actions.view")}
            </RowLink>
          }
        />
      ))}
    </Section>
  );
}
