import { areMet, checkRules } from "#app/domain/password/rules.ts";
import { NEW_PASSWORD_FORM, NEW_PASSWORD_ID, NEW_PASSWORD_REPEAT_ID, RULES_STATUS, SCRIPT_ONLY } from "./attributes.ts";
import { createOnce } from "./each-page.ts";
import { showRules, unmetRules } from "./password-checklist.ts";
import { saveWhenReady } from "./save-when-ready.ts";
import { showStrength } from "./strength-meter.ts";

const isNew = createOnce();

/** Announces changes after this pause in typing. */
const PAUSE_MS = 1_000;

/** Updates the checklist, the meter and the submit button while the user types a new password. */
export function checkWhileTyping(): void {
  const form = document.querySelector<HTMLFormElement>(`form[${NEW_PASSWORD_FORM}]`);
  const password = form?.querySelector<HTMLInputElement>(`#${NEW_PASSWORD_ID}`);
  const repeat = form?.querySelector<HTMLInputElement>(`#${NEW_PASSWORD_REPEAT_ID}`);
  if (form && password && repeat && isNew(form)) watch({ form, password, repeat });
}

type Fields = { form: HTMLFormElement; password: HTMLInputElement; repeat: HTMLInputElement };

function watch({ form, password, repeat }: Fields): void {
  for (const part of form.querySelectorAll<HTMLElement>(`[${SCRIPT_ONLY}]`)) part.hidden = false;
  const button = saveWhenReady(form);
  const announce = createAnnouncer(form);
  const check = () => {
    const rules = checkRules(password.value, repeat.value);
    const told = `${showRules(form, rules)}. ${showStrength(form, password.value)}`;
    button.setReady(areMet(rules));
    return told;
  };
  form.addEventListener("input", () => announce(check()));
  const isTyped = password.value !== "" || repeat.value !== "";
  // A refused form is empty: keeps the rules that the server rendered as unmet; checks again if there are none.
  if (isTyped || unmetRules(form).length === 0) check();
}

/** Returns a function that announces the latest text after a pause. */
function createAnnouncer(form: HTMLFormElement): (text: string) => void {
  const status = form.querySelector(`[${RULES_STATUS}]`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (status) status.textContent = text;
    }, PAUSE_MS);
  };
}
