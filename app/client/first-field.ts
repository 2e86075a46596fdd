/** On narrower screens, focusing a field opens an on-screen keyboard that covers the page. */
const WIDE_VIEWPORT = "(min-width: 48rem)";

const FIELDS = "main input.input:not(:disabled, [readonly])";

/** Returns the field of the page that gets the first focus: the first empty one, else the first one; null for none. */
export function findFirstField(): HTMLInputElement | null {
  if (!matchMedia(WIDE_VIEWPORT).matches) return null;
  const fields = [...document.querySelectorAll<HTMLInputElement>(FIELDS)];
  const first = fields.find((field) => field.value === "") ?? fields[0];
  // Focusing a field further down would scroll the content above it out of view.
  return first && first.getBoundingClientRect().bottom <= innerHeight ? first : null;
}
