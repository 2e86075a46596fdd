import type { PeopleChoice } from "#app/domain/user/people.server.ts";

/** Returns the URL of a page of the list, or of its export, with a choice of people. */
export function peopleUrl(
  { search, officeId, filter }: PeopleChoice,
  page = 1,
  path: "/manage/admin/people" | "/manage/admin/people/export" = "/manage/admin/people",
): string {
  const query = new URLSearchParams();
  if (search !== "") query.set("q", search);
  if (officeId !== null) query.set("office", officeId);
  if (filter !== null) query.set("show", filter);
  if (page > 1) query.set("page", String(page));
  return query.size === 0 ? path : `${path}?${query}`;
}
