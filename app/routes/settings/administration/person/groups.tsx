import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useTranslation } from "react-i18next";
import { changeFurtherGroups } from "#app/domain/person/change.server.ts";
import { listAllGroups } from "#app/domain/person/show.server.ts";
import { defineForm, text } from "#app/http/define-form.server.ts";
import { GroupChecks } from "#app/routes/settings/administration/group-checks.tsx";
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
import { changedAccess } from "./memberships.server.ts";

const RULE = { permission: "edit people", isFresh: true } as const satisfies ChangeRule;

/** Ids of groups, separated by commas: a form has at most 64 fields. */
const ids = () => text().transform((value) => value.split(",").filter(Boolean));

const groupsForm = defineForm({ add: ids(), remove: ids() });

/** The groups to add and to remove, by id. */
type GroupChange = { add: readonly string[]; remove: readonly string[] };

/** Shows the choice; with the parameters `chosen` and `group`, or `remove`, what it changes and the form. */
export async function loader(args: LoaderFunctionArgs) {
  const change = await openChange(args, RULE);
  return showChange(await groupsPage(change, chosenIn(new URL(args.request.url).searchParams, change)));
}

function chosenIn(query: URLSearchParams, { groups: { further } }: Change): GroupChange | null {
  if (query.has("remove")) return { add: [], remove: query.getAll("remove") };
  if (!query.has("chosen")) return null;
  const wanted = query.getAll("group");
  const present = further.map(({ id }) => id);
  return {
    add: wanted.filter((id) => !present.includes(id)),
    remove: present.filter((id) => !wanted.includes(id)),
  };
}

/** Begins and ends memberships of further groups. */
export async function action(args: ActionFunctionArgs) {
  return postChange(args, RULE, {
    form: groupsForm,
    run: ({ context, ref }, chosen) => changeFurtherGroups(context, ref, chosen),
    page: (change, refused) => {
      const chosen = groupsForm.schema.safeParse(refused.values);
      return groupsPage(change, chosen.success ? chosen.data : null, refused);
    },
    done: "groups-saved",
  });
}

async function groupsPage(change: Change, wanted: GroupChange | null, refused?: Refused) {
  const {
    context,
    groups,
    texts: { t },
    user,
  } = change;
  const all = (await listAllGroups(context)).filter(({ id }) => id !== user.groupId);
  const isMember = (wantedId: string) => groups.further.some(({ id }) => id === wantedId);
  const added = all.filter(({ id }) => wanted?.add.includes(id) && !isMember(id));
  const removed = groups.further.filter(({ id }) => wanted?.remove.includes(id));
  const isChosen = added.length + removed.length > 0;
  const further = [...groups.further.filter((group) => !removed.includes(group)), ...added];
  const memberships = [
    { label: t("adminChange.groups.added", { count: added.length }), of: added },
    { label: t("adminChange.groups.removed", { count: removed.length }), of: removed },
  ];
  const then = {
    id: "then",
    heading: t("adminChange.then"),
    rows: memberships
      .filter(({ of }) => of.length > 0)
      .map(({ label, of }) => ({ label, lines: [of.map(({ name }) => name).join(", ")] })),
  };
  const texts = {
    heading: t("adminChange.groups.heading"),
    submit: isChosen ? t("adminChange.groups.submit") : t("common.continue"),
    isDangerous: removed.length > 0,
    sections: isChosen ? [then, await changedAccess(change, { office: groups.office, further })] : [],
  };
  const fields = {
    chosen: isChosen ? { add: idsOf(added), remove: idsOf(removed) } : null,
    groups: all.map(({ id, name }) => ({ id, name, isMember: isMember(id) })),
  };
  return changePage(change, "groups", texts, { fields, refused });
}

function idsOf(groups: readonly { id: string }[]): string {
  return groups.map(({ id }) => id).join(",");
}

type GroupsFields = {
  chosen: { add: string; remove: string } | null;
  groups: readonly { id: string; name: string; isMember: boolean }[];
};

/** The page at /manage/admin/people/{id}/groups. */
export default function Groups() {
  const { t } = useTranslation();
  const page: ChangePage<GroupsFields> = usePage<typeof loader, typeof action>();
  const { chosen, groups } = page.fields;
  if (chosen !== null) {
    return (
      <ChangeFrame page={page}>
        <input type="hidden" name="add" value={chosen.add} />
        <input type="hidden" name="remove" value={chosen.remove} />
      </ChangeFrame>
    );
  }
  return (
    <ChangeFrame page={page} isChoice>
      <input type="hidden" name="chosen" value="yes" />
      <GroupChecks
        legend={t("adminChange.groups.legend")}
        choices={groups.map(({ id, name, isMember }) => ({ id, name, isChecked: isMember }))}
      />
    </ChangeFrame>
  );
}
