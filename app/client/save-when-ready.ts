import { SAVE_BLOCKED, SAVE_BLOCKED_ID, SAVE_MISSING } from "./attributes.ts";
import { unmetRules } from "./password-checklist.ts";

type SaveButton = {
  /** Whether the new password is good; the other fields of the form are looked at here. */
  setReady(isReady: boolean): void;
};

/**
 * Lets the form go only when every rule is met. Until then its button can still be reached and pressed, and then says
 * what is missing: a button that is dead explains nothing.
 */
export function saveWhenReady(form: HTMLFormElement): SaveButton {
  const button = form.querySelector("button[type=submit]");
  const reason = document.getElementById(SAVE_BLOCKED_ID);
  const missing = form.querySelector<HTMLElement>(`[${SAVE_MISSING}]`);
  let isBlocked = true;

  function setReady(isReady: boolean): void {
    isBlocked = !isReady || emptyFields(form).length > 0;
    for (const [name, value] of [
      [SAVE_BLOCKED, ""],
      ["aria-disabled", "true"],
      ["aria-describedby", SAVE_BLOCKED_ID],
    ] as const) {
      if (isBlocked) button?.setAttribute(name, value);
      else button?.removeAttribute(name);
    }
    if (reason) reason.hidden = !isBlocked;
    missing?.replaceChildren();
  }

  form.addEventListener("submit", (event) => {
    if (!isBlocked) return;
    event.preventDefault();
    // Nothing leaves: what others do before a form goes, such as hiding a password, is not due.
    event.stopPropagation();
    if (missing) tell(missing, [...emptyFields(form), ...unmetRules(form)]);
  });
  setReady(false);
  return { setReady };
}

/** The labels of the fields that have to be filled in, beside those that have rules. */
function emptyFields(form: HTMLFormElement): string[] {
  const fields = [...form.querySelectorAll<HTMLInputElement>("input[required]")];
  const others = fields.filter((field) => field.value === "" && field.autocomplete !== "new-password");
  return others.map((field) => field.labels?.[0]?.textContent ?? field.name);
}

function tell(place: HTMLElement, missing: readonly string[]): void {
  const heading = Object.assign(document.createElement("p"), { textContent: place.getAttribute(SAVE_MISSING) });
  const list = document.createElement("ul");
  list.append(...missing.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  place.replaceChildren(heading, list);
}
