/** Path of the first page of the administration. */
export const ADMINISTRATION_PATH = "/manage/admin";

/**
 * Returns true for the path of a page of the administration. Its pages load no React: they are tables and forms, and a
 * list of people in the page's data would double its size.
 */
export function isAdministrationPath(pathname: string): boolean {
  return pathname === ADMINISTRATION_PATH || pathname.startsWith(`${ADMINISTRATION_PATH}/`);
}
