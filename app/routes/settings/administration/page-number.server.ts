/** Returns the query parameter `page` of a list, from 1; 1 for anything else than a number of at most six digits. */
export function pageNumberOf(request: Request): number {
  const text = new URL(request.url).searchParams.get("page") ?? "";
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : 1;
}
