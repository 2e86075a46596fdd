import type { LinkWindow } from "#app/domain/factor-reset/link.server.ts";

/** Formats both times of a link with `time`. */
export function windowTexts({ from, until }: LinkWindow, time: (at: Date) => string) {
  return { from: from && time(from), until: time(until) };
}
