import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  WebAuthnAbortService,
} from "@simplewebauthn/browser";
import { pressEnded } from "#app/client/press.ts";
import { type Texts, textsOf } from "#app/client/texts.ts";
import { passkeyRequestOptions } from "#app/domain/webauthn/options.ts";
import { LiveElement } from "./live-element.ts";

/** A refusal faster than this was not a person who closed a dialog: the browser found no passkey. */
const CANCEL_MS = 1000;

/**
 * Wraps the form of the sign-in by passkey, in a template, and the list of providers, if any. Adds the form to the list,
 * with its button. A dialog opens
 * only after a press of the button; without one, the browser may offer passkeys at the field for the user name
 * (conditional mediation), except on a page with an error.
 */
export class PasskeySignIn extends LiveElement {
  private isOpen = false;

  protected connect(signal: AbortSignal): void {
    const form = this.querySelector("template")?.content.querySelector("form");
    if (!form || !browserSupportsWebAuthn()) return;
    const texts = textsOf(this);
    signal.addEventListener("abort", () => WebAuthnAbortService.cancelCeremony());
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      void this.openDialog(form, texts);
    };
    form.addEventListener("submit", submit, { signal });
    // The button moves what is below it.
    void pressEnded().then(() => this.addButton(form, texts));
    void this.offerAtField(form);
  }

  private addButton(form: HTMLFormElement, texts: Texts): void {
    const list = this.findList(texts("heading"));
    const label = document.createElement("span");
    const hint = document.createElement("small");
    hint.append(texts("hint"));
    label.append(texts("submit"), hint);
    const button = Object.assign(document.createElement("button"), { className: "button quiet provider" });
    button.setAttribute("type", "submit");
    button.append(...form.querySelectorAll("svg"), label);
    const status = document.createElement("p");
    status.setAttribute("aria-live", "polite");
    form.append(button);
    const item = document.createElement("li");
    item.append(form, status);
    list.prepend(item);
  }

  /** Returns the list of providers, or an empty one. Its heading then covers passkeys, too. */
  private findList(heading: string): Element {
    const section = this.querySelector("section") ?? document.createElement("section");
    if (!section.firstChild) {
      section.className = "flow flow-close";
      section.setAttribute("aria-labelledby", "providers");
      const title = Object.assign(document.createElement("h2"), { className: "divide", id: "providers" });
      section.append(title, Object.assign(document.createElement("ul"), { className: "pair" }));
      this.append(section);
    }
    section.querySelector("h2")?.replaceChildren(heading);
    return section.querySelector("ul") ?? section;
  }

  private async openDialog(form: HTMLFormElement, texts: Texts): Promise<void> {
    if (this.isOpen) return;
    this.isOpen = true;
    this.showStatus("");
    const openedAt = performance.now();
    try {
      // Ends the offer at the field, if any.
      this.send(form, await startAuthentication({ optionsJSON: this.options() }));
    } catch (error) {
      const isAtOnce = performance.now() - openedAt < CANCEL_MS;
      this.showStatus(texts(reasonOf(error, isAtOnce)));
      this.isOpen = false;
    }
  }

  /** Waits until the user chooses a passkey at the field. Nothing is shown if that fails: the button is there. */
  private async offerAtField(form: HTMLFormElement): Promise<void> {
    if (document.querySelector("[role=alert]") || !document.querySelector("input[autocomplete$=webauthn]")) return;
    if (!(await browserSupportsWebAuthnAutofill()) || this.isOpen) return;
    try {
      this.send(form, await startAuthentication({ optionsJSON: this.options(), useBrowserAutofill: true }));
    } catch {
      // Cancelled, or replaced by the dialog of the button.
    }
  }

  private options() {
    return passkeyRequestOptions({ relyingPartyId: this.attribute("rp-id"), challenge: this.attribute("challenge") });
  }

  private send(form: HTMLFormElement, credential: unknown): void {
    const field = form.querySelector<HTMLInputElement>("[name=assertion]");
    if (field) field.value = JSON.stringify(credential);
    form.submit();
  }

  private showStatus(text: string): void {
    this.querySelector("[aria-live]")?.replaceChildren(...(text ? [text] : []));
  }
}

/** Browsers report one error for a closed dialog and a missing passkey, so that pages cannot probe for passkeys. */
function reasonOf(error: unknown, isAtOnce: boolean): "cancelled" | "none" | "unsupported" {
  const name = error instanceof Error ? error.name : "";
  if (name === "AbortError") return "cancelled";
  if (name !== "NotAllowedError") return "unsupported";
  return isAtOnce ? "none" : "cancelled";
}
