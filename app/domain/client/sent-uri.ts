import { printable } from "#app/domain/base/printable.ts";

/** Maximum length of a URI that a request sent, in a log line or an audit row, in code points. */
const MAX_LENGTH = 200;

/**
 * Returns a redirect URI that a request sent, for the log: without query, fragment and user info, which may contain a
 * secret; truncated, and without unprintable characters.
 */
export function loggableUri(sent: string): string {
  const [start = ""] = sent.split(/[?#]/, 1);
  return printable(start.replace(/^([a-z][a-z0-9+.-]*:[\\/]*)[^\\/]*@/i, "$1"), MAX_LENGTH);
}

const PARTS = [
  { name: "scheme", of: ({ protocol }: URL) => protocol },
  { name: "host", of: ({ hostname }: URL) => hostname },
  { name: "port", of: ({ port }: URL) => port },
  { name: "path", of: ({ pathname }: URL) => pathname },
] as const;

/**
 * Returns the names of the parts in which a redirect URI differs from the most similar registered one, e.g. "host, port".
 * The result contains no text of the URI, which anybody can choose.
 * @returns null if it is not an absolute URI, or none is registered
 */
export function uriDifference(sent: string, registered: readonly string[]): string | null {
  if (!URL.canParse(sent)) return null;
  const all = registered.filter((uri) => URL.canParse(uri)).map((uri) => differencesOf(new URL(sent), new URL(uri)));
  const [closest] = all.toSorted((one, other) => one.length - other.length);
  return closest === undefined ? null : closest.join(", ") || "query, fragment or spelling";
}

function differencesOf(sent: URL, registered: URL): string[] {
  return PARTS.filter(({ of }) => of(sent) !== of(registered)).map(({ name }) => name);
}
