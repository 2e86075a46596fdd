import type { LinkWindow } from "#app/domain/factor-reset/link.server.ts";

/** Writes both moments of a link for a page. `time` writes one moment. */
export function windowTexts({ from, until }: LinkWindow, time: (at: Date) => string) {
  return { from: from && time(from), until: time(until) };
}
