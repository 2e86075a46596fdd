import { pressEnded } from "#app/client/press.ts";
import { areMet, checkRules } from "#app/domain/password/rules.ts";
import { LiveElement } from "./live-element.ts";
import { PasswordRules } from "./password-rules.ts";
import { StrengthMeter } from "./strength-meter.ts";

/** Announces changes after this pause in typing. */
const PAUSE_MS = 1_000;

/**
 * Wraps the form for a new password: updates rules and meter while the user types, and blocks the submission until all
 * rules are met and all required fields are filled. The button stays focusable; pressing it lists what is missing. The
 * server validates again. Some password managers fill fields without an `input` event, so the values are also compared
 * on `change`, when a field loses the focus, and before the form is sent.
 */
export class NewPassword extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const rules = this.querySelector("password-rules");
    const meter = this.querySelector("strength-meter");
    const status = this.querySelector(":scope > [aria-live]");
    if (!(rules instanceof PasswordRules) || !(meter instanceof StrengthMeter)) return;
    let isBlocked = true;
    let checked = this.values();
    let timer: ReturnType<typeof setTimeout> | undefined;

    const check = () => {
      const [password = "", repeat = ""] = this.newPasswords();
      checked = this.values();
      const results = checkRules(password, repeat);
      const changes = `${rules.show(results)}. ${meter.show(password)}`;
      isBlocked = !areMet(results) || this.emptyFields().length > 0;
      this.showBlocked(isBlocked);
      return changes;
    };
    const checkAndAnnounce = () => {
      const changes = check();
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (status) status.textContent = changes;
      }, PAUSE_MS);
    };
    const checkChanged = () => {
      if (this.values() !== checked) checkAndAnnounce();
    };
    const checkAfterPress = () => void pressEnded().then(checkChanged);
    const block = (event: Event) => {
      checkChanged();
      if (!isBlocked) return;
      event.preventDefault();
      // Other submit listeners, such as the one that hides passwords, must not run.
      event.stopPropagation();
      this.listMissing([...this.emptyFields(), ...rules.unmet()]);
    };

    this.addEventListener("input", checkAndAnnounce, { signal });
    for (const type of ["change", "focusout"]) this.addEventListener(type, checkAfterPress, { signal });
    this.addEventListener("submit", block, { signal, capture: true });
    this.addReason(signal);
    rules.showSummary();
    this.showBlocked(true);
    // A rejected form is empty: keeps the rules that the server rendered as unmet; checks again if there are none.
    if (this.newPasswords().join("") !== "" || rules.unmet().length === 0) check();
  }

  /** Returns the values of all fields, for comparison. */
  private values(): string {
    return JSON.stringify([...this.querySelectorAll("input")].map(({ value }) => value));
  }

  /** Returns the values of the two fields. */
  private newPasswords(): string[] {
    const fields = [...this.querySelectorAll<HTMLInputElement>("input[autocomplete=new-password]")];
    return fields.map(({ value }) => value);
  }

  /** Returns the labels of empty required fields, except the new password. */
  private emptyFields(): string[] {
    const fields = [...this.querySelectorAll<HTMLInputElement>("input[required]:not([autocomplete=new-password])")];
    return fields.filter(({ value }) => value === "").map(({ labels, name }) => labels?.[0]?.textContent ?? name);
  }

  /** Adds the text that describes the blocked button. */
  private addReason(signal: AbortSignal): void {
    const text = Object.assign(document.createElement("p"), { textContent: this.attribute("blocked") });
    const reason = Object.assign(document.createElement("div"), { id: "save-blocked", className: "save-blocked note" });
    reason.append(text);
    this.querySelector(".missing")?.before(reason);
    signal.addEventListener("abort", () => reason.remove());
  }

  private showBlocked(isBlocked: boolean): void {
    const button = this.querySelector("button[type=submit]");
    const reason = this.querySelector<HTMLElement>(".save-blocked");
    if (!button || !reason) return;
    button.toggleAttribute("data-blocked", isBlocked);
    for (const [name, value] of [
      ["aria-disabled", "true"],
      ["aria-describedby", reason.id],
    ] as const) {
      if (isBlocked) button.setAttribute(name, value);
      else button.removeAttribute(name);
    }
    reason.hidden = !isBlocked;
    this.listMissing([]);
  }

  private listMissing(missing: readonly string[]): void {
    const place = this.querySelector(".missing");
    const heading = Object.assign(document.createElement("p"), { textContent: this.attribute("missing") });
    const list = document.createElement("ul");
    list.append(...missing.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
    place?.replaceChildren(...(missing.length > 0 ? [heading, list] : []));
  }
}
