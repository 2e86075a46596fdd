/** The one row that a statement always answers with; throws when there is none. */
export function only<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("the statement answered no row");
  return row;
}

/**
 * Text with a NUL is stored nowhere: PostgreSQL cannot hold it, and a search for it would be an error instead of no
 * answer.
 */
export function cannotBeStored(text: string): boolean {
  return text.includes("\0");
}
