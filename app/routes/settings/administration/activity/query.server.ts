import { z } from "zod";
import { TRAIL_KINDS, type TrailKind } from "#app/domain/audit/events.ts";
import type { TrailQuery } from "#app/domain/audit-trail/trail.server.ts";
import { DAY_PATTERN, startOfDay, startOfNextDay } from "#app/domain/base/zoned-day.ts";
import type { LoadContext } from "#app/http/load-context.server.ts";

/** Maximum length of a name in the URL. */
const MAX_NAME = 100;

const name = z.string().trim().max(MAX_NAME).catch("");
const day = z.iso.date().regex(DAY_PATTERN).catch("");

/** Parameters of the URL, as the filter sends them; other values do not restrict the list. */
const schema = z.object({
  person: name,
  actor: name,
  kind: z.enum(TRAIL_KINDS).or(z.literal("")).catch(""),
  app: name,
  from: day,
  to: day,
  before: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .transform(Number)
    .nullable()
    .catch(null),
});

/** Values of the filter, "" if they do not restrict the list. `from`, `to`: days as YYYY-MM-DD, both included. */
export type ActivityFilter = {
  person: string;
  actor: string;
  kind: TrailKind | "";
  app: string;
  from: string;
  to: string;
};

/** Reads the filter and the place of the page from the URL. */
export function readActivityUrl(request: Request): { filter: ActivityFilter; before: number | null } {
  const query = new URL(request.url).searchParams;
  const values = Object.fromEntries(Object.keys(schema.shape).map((key) => [key, query.get(key)]));
  const { before, ...filter } = schema.parse(values);
  return { filter, before };
}

/** Returns the query of a filter; its days are those of TIME_ZONE. */
export function toTrailQuery({ config }: Pick<LoadContext, "config">, filter: ActivityFilter): TrailQuery {
  const { person, actor, kind, app, from, to } = filter;
  return {
    person: person || null,
    actor: actor || null,
    kind: kind || null,
    clientId: app || null,
    since: from === "" ? null : startOfDay(from, config.timeZone),
    until: to === "" ? null : startOfNextDay(to, config.timeZone),
  };
}

/** Returns a URL with the parameters of the filter that restrict the list, and further ones. */
export function activityUrl(path: string, filter: ActivityFilter, more: Readonly<Record<string, string>> = {}): string {
  const set = Object.entries({ ...filter, ...more }).filter(([, value]) => value !== "");
  const query = new URLSearchParams(set);
  return query.size > 0 ? `${path}?${query}` : path;
}
