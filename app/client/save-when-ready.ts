import { SAVE_BLOCKED, SAVE_BLOCKED_ID, SAVE_MISSING } from "./attributes.ts";
import { unmetRules } from "./password-checklist.ts";

type SaveButton = {
  /** `isReady`: all rules of the new password are met. Required fields are checked in addition. */
  setReady(isReady: boolean): void;
};

/** Blocks the submission until all rules are met. The button stays focusable; pressing it lists what is missing. */
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
    // Other submit handlers, such as the one that hides passwords, must not run.
    event.stopPropagation();
    if (missing) tell(missing, [...emptyFields(form), ...unmetRules(form)]);
  });
  setReady(false);
  return { setReady };
}

/** Returns the labels of empty required fields, except the new password. */
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
