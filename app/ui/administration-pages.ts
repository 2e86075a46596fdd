import type { ParseKeys } from "i18next";
import type { Role } from "#app/domain/role/role.ts";

/** A page in the navigation of the administration. `icon`: path of an SVG of 20 x 20. */
type AdministrationPage = { to: string; text: ParseKeys; hint: ParseKeys; icon: string; roles: readonly Role[] };

const PAGES = [
  {
    to: "/manage/admin/people",
    text: "admin.people",
    hint: "admin.peopleHint",
    icon: "M7.5 9.5a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM2.5 16c.4-2.6 2.4-4 5-4s4.6 1.4 5 4M13 4.3a2.75 2.75 0 0 1 0 4.9M14.5 12.2c1.7.5 2.8 1.8 3 3.8",
    roles: ["administrator", "help-desk"],
  },
  {
    to: "/manage/admin/groups",
    text: "admin.groups",
    hint: "admin.groupsHint",
    icon: "M7.5 3h5v4h-5zM2.5 13h5v4h-5zM12.5 13h5v4h-5zM10 7v3M5 13v-3h10v3",
    roles: ["administrator"],
  },
  {
    to: "/manage/admin/activity",
    text: "admin.activity",
    hint: "admin.activityHint",
    icon: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.75 1.75",
    roles: ["administrator"],
  },
] as const satisfies readonly AdministrationPage[];

/** Returns the pages of the administration that a role has, in the order of the navigation. */
export function administrationPages(role: Role): readonly Omit<AdministrationPage, "roles">[] {
  return PAGES.filter(({ roles }) => roles.some((one) => one === role));
}
