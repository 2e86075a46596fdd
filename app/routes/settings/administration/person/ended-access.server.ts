import { listPersonSessions } from "#app/domain/person/show.server.ts";
import { browserText } from "#app/http/page-data.server.ts";
import type { Change } from "./change.server.ts";
import type { RowTexts } from "./rows.tsx";

/** Returns what ends with all sessions of the person, by number and name: the sessions, and the applications in them. */
export async function endedAccess({ context, user, texts }: Change): Promise<RowTexts[]> {
  const { t } = texts;
  const sessions = await listPersonSessions(context, user);
  const applications = [...new Set(sessions.flatMap((session) => session.applications))].sort();
  const browsers = sessions.map(({ browser }) => browserText(browser, texts)).join(", ");
  const names = applications.join(", ");
  return [
    {
      label: t("adminChange.sessions", { count: sessions.length }),
      lines: [sessions.length === 0 ? t("adminChange.noSessions") : t("adminChange.sessionsEnd", { names: browsers })],
    },
    ...(applications.length === 0
      ? []
      : [
          {
            label: t("adminChange.applications", { count: applications.length }),
            lines: [t("adminChange.applicationsEnd", { names })],
          },
        ]),
  ];
}
