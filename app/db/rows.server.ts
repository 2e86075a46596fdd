/** Returns the row of a statement that always returns one; throws if there is none. */
export function getOnly<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("the statement returned no row");
  return row;
}

/** Returns true if the text contains a NUL character: PostgreSQL cannot store it, and a query with it would fail. */
export function cannotBeStored(text: string): boolean {
  return text.includes("\0");
}
