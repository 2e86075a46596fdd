import type { TFunction } from "i18next";

/** Path of the list of groups. */
export const GROUPS_PATH = "/manage/admin/groups";

/** Returns the path of a group's page. */
export function groupPath(id: string): string {
  return `${GROUPS_PATH}/${id}`;
}

/** Returns the sentences of a refused form of a group. */
export function problemTexts(t: TFunction) {
  return {
    expired: t("common.formExpired"),
    changed: t("adminGroups.error.changed"),
    taken: t("adminGroups.error.taken"),
    tooManyDefaults: t("adminGroups.error.tooManyDefaults"),
    invalid: {
      name: t("adminGroups.error.name"),
      description: t("adminGroups.error.description"),
      contact: t("adminGroups.error.contact"),
    },
  };
}
