const GAP = "  ";

/** Rows under headings, each column as wide as its widest cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [headings.map((heading) => heading.toUpperCase()), ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** Names on the left, values on the right; a list takes one line for each of its values. */
export function facts(pairs: readonly (readonly [name: string, value: string | readonly string[]])[]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.flatMap(([name, value]) => {
    const [first = "-", ...rest] = [value].flat();
    return [`${name.padEnd(width)}${GAP}${first}`, ...rest.map((more) => `${" ".repeat(width)}${GAP}${more}`)];
  });
}

/** A time as people read it, to the minute; "-" for none. */
export function timeText(time: Date | null): string {
  return time === null ? "-" : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export function yesNo(value: boolean): string {
  return value ? "yes" : "no";
}
