const GAP = "  ";

/** Formats rows under upper-case headings; each column is as wide as its widest cell. */
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

/** Formats names with their values in two columns. A list has one line per value; an empty list is shown as "-". */
export function properties(pairs: readonly (readonly [name: string, value: string | readonly string[]])[]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.flatMap(([name, value]) => {
    const [first = "-", ...rest] = [value].flat();
    return [`${name.padEnd(width)}${GAP}${first}`, ...rest.map((more) => `${" ".repeat(width)}${GAP}${more}`)];
  });
}

/** Formats a time in a time zone, to the minute or second, with the offset from UTC; null as "-". */
export function timeText(time: Date | null, timeZone: string, unit: "minute" | "second" = "minute"): string {
  if (time === null) return "-";
  const format = new Intl.DateTimeFormat("sv", {
    timeZone,
    dateStyle: "short",
    timeStyle: unit === "minute" ? "short" : "medium",
  });
  return `${format.format(time)} ${offsetText(time, timeZone)}`;
}

/** Returns "UTC", or an offset such as "+01:00". */
function offsetText(time: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(time);
  const [, offset = "+00:00"] = /^GMT(.+)$/.exec(parts.find(({ type }) => type === "timeZoneName")?.value ?? "") ?? [];
  return offset === "+00:00" ? "UTC" : offset;
}

/** Formats a boolean as "yes" or "no". */
export function yesNo(value: boolean): string {
  return value ? "yes" : "no";
}
