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

/** Returns the linked pages: the first, the last, and those beside the current one; null is a gap. */
export function pageNumbers(page: number, pages: number): (number | null)[] {
  const near = [1, page - 1, page, page + 1, pages].filter((number) => number >= 1 && number <= pages);
  const numbers = [...new Set(near)].toSorted((one, other) => one - other);
  return numbers.flatMap((number, place) => {
    const before = numbers[place - 1] ?? 0;
    if (number - before === 2) return [number - 1, number];
    return number - before > 2 ? [null, number] : [number];
  });
}
