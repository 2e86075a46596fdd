/** From here on a page is wide: it has no on-screen keyboard that would cover it. */
const WIDE_VIEWPORT = "(min-width: 48rem)";

const FIELDS = "main input:not([type=hidden]):not(:disabled):not([readonly])";

let isFirst = true;

/** Puts the focus on the error summary, else, on wide pages, into the first empty field in view. */
export function placeFirstFocus(): void {
  // A page that was reached without loading a document puts the focus itself.
  if (!isFirst) return;
  isFirst = false;
  const summary = document.querySelector<HTMLElement>("[role=alert][tabindex='-1']");
  if (summary) {
    summary.focus();
    return;
  }
  // Somebody was faster than the script, or followed a link to a part of the page.
  if (document.activeElement !== document.body || location.hash) return;
  if (!matchMedia(WIDE_VIEWPORT).matches || document.querySelector("[role=alert]")) return;
  const fields = [...document.querySelectorAll<HTMLInputElement>(FIELDS)];
  const first = fields.find((field) => field.value === "");
  // What is read before the field must not be scrolled away.
  if (first && first.getBoundingClientRect().bottom <= innerHeight) first.focus();
}
