import { compareAccess } from "#app/domain/application-access/explain.server.ts";
import { groupNames, type PersonGroups } from "#app/domain/person/show.server.ts";
import type { Change } from "./change.server.ts";
import type { SectionTexts } from "./rows.tsx";

/** Returns the applications that the person loses and gains with other groups, by number and name. */
export async function changedAccess(
  { context, groups, texts: { t } }: Change,
  after: PersonGroups,
): Promise<SectionTexts> {
  const { lost, gained } = await compareAccess(context, { before: groupNames(groups), after: groupNames(after) });
  const rows = [
    { names: lost, label: t("adminChange.access.lost", { count: lost.length }) },
    { names: gained, label: t("adminChange.access.gained", { count: gained.length }) },
  ];
  return {
    id: "access",
    heading: t("adminChange.access.heading"),
    note: lost.length + gained.length === 0 ? t("adminChange.access.same") : undefined,
    rows: rows
      .filter(({ names }) => names.length > 0)
      .map(({ names, label }) => ({ label, lines: [names.join(", ")] })),
  };
}
