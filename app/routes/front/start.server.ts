import { listApplications, type UsableApplication } from "#app/domain/application-access/applications.server.ts";
import { findContact } from "#app/domain/application-access/contact.server.ts";
import { findLastSignIn } from "#app/domain/audit-trail/activity.server.ts";
import type { Subject } from "#app/domain/engine-session/subject.server.ts";
import type { Role } from "#app/domain/role/role.ts";
import { findRoleForPages } from "#app/http/administration.server.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";
import { browserText, type PageView, timeTextsOf } from "#app/http/page-data.server.ts";
import { type TimeTexts, whenText } from "#app/i18n/time-texts.server.ts";
import type { Layout } from "#app/ui/document-context.tsx";
import type { StartState } from "#app/ui/page-state.ts";
import { pageTitle } from "#app/ui/title.ts";

/** An application on the start page. `href` and `host`: null if no address of it is registered. */
export type Tile = { id: string; name: string; host: string | null; href: string | null; logoUrl: string | null };

export type StartPage = PageView<
  StartState,
  {
    layout: Layout;
    /** The applications that the user may use, by name. */
    tiles: readonly Tile[];
    /** The role of the user, whose pages the page then links; null without one. */
    role: Role | null;
    /** The contact of those who give access, for a user without applications; null if none is known. */
    contact: string | null;
    /** Time and browser of the last sign-in, as text; null if the audit trail contains none. */
    lastSignIn: { when: string; browser: string } | null;
  }
>;

/** Loads the start page of the user of a live session. */
export async function loadStartPage(context: LoadContext, request: Request, subject: Subject): Promise<StartPage> {
  const { userId, displayName, picture } = subject;
  const texts = await timeTextsOf(context, request);
  const applications = await listApplications(context, userId);
  const byName = new Intl.Collator(texts.language, { numeric: true }).compare;
  const last = await findLastSignIn(context, { userId });
  if (picture !== null) context.allowPicture(picture);
  return {
    status: 200,
    title: pageTitle(texts.t, texts.t("start.title")),
    state: { user_id: userId, display_name: displayName, picture },
    layout: "settings",
    role: await findRoleForPages(context, userId),
    tiles: applications
      .map((application) => tile(application, context.config.issuer))
      .sort((one, other) => byName(one.name, other.name)),
    contact: applications.length > 0 ? null : await findContact(context, userId),
    lastSignIn: last && {
      when: capitalized(whenText(last.at, texts), texts),
      browser: browserText(last.browser, texts),
    },
  };
}

function capitalized(text: string, { language }: TimeTexts): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}

function tile({ id, name, initiateLoginUri, homeUri, logoHash }: UsableApplication, issuer: string): Tile {
  const uri = homeUri ?? initiateLoginUri;
  return {
    id,
    name,
    host: uri === null ? null : new URL(uri).host,
    href: initiateLoginUri === null ? homeUri : loginUrl(initiateLoginUri, issuer),
    logoUrl:
      logoHash === null ? null : `/clients/${encodeURIComponent(id)}/logo?${new URLSearchParams({ v: logoHash })}`,
  };
}

/** Returns the URL that makes the application start a sign-in here (OpenID Connect Core 1.0 §4). */
function loginUrl(initiateLoginUri: string, issuer: string): string {
  const url = new URL(initiateLoginUri);
  url.searchParams.set("iss", issuer);
  return url.href;
}
