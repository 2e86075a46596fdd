/** On narrower screens, focusing a field opens an on-screen keyboard that covers the page. */
const WIDE_VIEWPORT = "(min-width: 48rem)";

const FIELDS = "main input:not([type=hidden]):not(:disabled):not([readonly])";

/** Focuses the error summary; otherwise, on wide screens, the first empty field in view. */
export function placeFirstFocus(): void {
  const summary = document.querySelector<HTMLElement>("[role=alert][tabindex='-1']");
  if (summary) {
    summary.focus();
    return;
  }
  // The user has already focused an element or followed a fragment link.
  if (document.activeElement !== document.body || location.hash) return;
  if (!matchMedia(WIDE_VIEWPORT).matches || document.querySelector("[role=alert]")) return;
  const fields = [...document.querySelectorAll<HTMLInputElement>(FIELDS)];
  const first = fields.find((field) => field.value === "");
  // Focusing a field further down would scroll the content above it out of view.
  if (first && first.getBoundingClientRect().bottom <= innerHeight) first.focus();
}
