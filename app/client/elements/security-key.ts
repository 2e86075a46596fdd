import { browserSupportsWebAuthn, WebAuthnAbortService } from "@simplewebauthn/browser";
import { isCancel } from "#app/client/factor-form.ts";
import { type ApiResult, type Body, readText } from "#app/client/json-post.ts";
import {
  type Ceremony,
  offeredPasskey,
  passkeyRegistration,
  settingsRegistration,
  setUp,
  verification,
} from "#app/client/key-ceremonies.ts";
import { clearProblem, commonProblem, type Problem, showProblem } from "#app/client/page-problem.ts";
import { pressEnded } from "#app/client/press.ts";
import { type Texts, textsOf } from "#app/client/texts.ts";
import { MINUTE_MS } from "#app/durations.ts";
import { LiveElement } from "./live-element.ts";

/** A refusal faster than this did not come from the user: the browser requires a user gesture. */
const GESTURE_REFUSAL_MS = 100;

/**
 * Time for which options can be reused after a failure. The server keeps them for five minutes, of which the dialog of a
 * passkey takes up to three.
 */
const OPTIONS_LIFETIME_MS = 2 * MINUTE_MS;

/**
 * `needs gesture`: the browser refused without showing a dialog. `cancelled`: the user closed the dialog or did not
 * touch the key in time, which browsers do not distinguish.
 */
type Outcome = { kind: "passed" | "needs gesture" | "cancelled" } | { kind: "failed"; problem: Problem };

/**
 * Wraps the form of a security key or passkey, and the content for browsers that cannot use one. Runs the ceremony of
 * its `purpose` whenever the form is submitted; that of a security key also once when it is inserted.
 */
export class SecurityKey extends LiveElement {
  private running: AbortController | null = null;
  private countdown: ReturnType<typeof setInterval> | undefined;
  private options: { body: Body; at: number } | null = null;

  protected connect(signal: AbortSignal): void {
    const form = this.querySelector("form");
    if (!form) return;
    const texts = textsOf(this);
    if (!browserSupportsWebAuthn()) {
      // Removes the notice about JavaScript and keeps the alternatives.
      for (const notice of this.querySelectorAll(".no-script > .alert")) notice.remove();
      // Browsers hide the WebAuthn API in insecure contexts.
      showProblem(browserProblem(isSecureContext ? "NotSupportedError" : "SecurityError", texts), texts);
      return;
    }
    const ceremony = this.ceremony(form);
    const submit = (event: SubmitEvent) => {
      if (isCancel(event)) return this.stop();
      event.preventDefault();
      void this.start(ceremony, texts, { isAutomatic: false });
    };
    const stop = () => this.stop();
    form.addEventListener("submit", submit, { signal });
    addEventListener("pagehide", stop, { signal });
    signal.addEventListener("abort", stop);
    signal.addEventListener("abort", () => clearInterval(this.countdown));
    for (const part of this.querySelectorAll<HTMLElement>(".no-script")) part.hidden = true;
    for (const part of this.querySelectorAll<HTMLElement>(".live")) part.hidden = false;
    this.showStatus({ isBusy: false });
    if (this.isPasskey()) return;
    // Does not start while the page shows an error. Otherwise waits until the page has been painted and is visible.
    if (document.querySelector("[role=alert]")) return;
    requestAnimationFrame(() =>
      setTimeout(async () => {
        await pressEnded();
        void this.start(ceremony, texts, { isAutomatic: true });
      }),
    );
  }

  /** Returns true for the purposes that only a press of the user starts. */
  private isPasskey(): boolean {
    return /passkey/.test(this.attribute("purpose"));
  }

  private ceremony(form: HTMLFormElement): Ceremony {
    const productName = this.attribute("product-name");
    switch (this.attribute("purpose")) {
      case "set-up":
        return setUp(form, productName);
      case "settings":
        return settingsRegistration(productName);
      case "passkey":
        return passkeyRegistration(productName);
      case "offered-passkey":
        return offeredPasskey(form, productName);
      default:
        return verification(form);
    }
  }

  private async start(ceremony: Ceremony, texts: Texts, { isAutomatic }: { isAutomatic: boolean }): Promise<void> {
    if (this.running || !this.isConnected) return;
    this.running = new AbortController();
    clearProblem(texts);
    this.showStatus({ isBusy: true, text: texts("waiting") });
    const outcome = await this.run(ceremony, texts, { signal: this.running.signal, isAutomatic });
    // `running` stays set, because the form is being submitted.
    if (outcome.kind === "passed") return;
    await pressEnded();
    this.running = null;
    // The user has left the page by a client-side navigation.
    if (!this.isConnected) return;
    if (outcome.kind !== "needs gesture") this.querySelector(".key-start")?.replaceChildren(texts("retry"));
    this.showStatus({ isBusy: false, text: outcome.kind === "cancelled" ? texts("cancelled") : "" });
    if (outcome.kind === "failed") showProblem(outcome.problem, texts);
  }

  private stop(): void {
    this.running?.abort();
    WebAuthnAbortService.cancelCeremony();
  }

  private async run(
    ceremony: Ceremony,
    texts: Texts,
    { signal, isAutomatic }: { signal: AbortSignal; isAutomatic: boolean },
  ): Promise<Outcome> {
    if (!this.options || performance.now() - this.options.at > OPTIONS_LIFETIME_MS) {
      const begun = await ceremony.begin(signal);
      if (signal.aborted) return { kind: "cancelled" };
      if (begun.kind !== "done") return failed(resultProblem(begun, texts));
      this.options = { body: begun.body, at: performance.now() };
    }
    const { body: options } = this.options;
    const openedAt = performance.now();
    // Reused options avoid a request between click and dialog: some browsers drop the user gesture after one await.
    this.startCountdown(texts);
    const dialog = await settle(ceremony.openDialog(options));
    clearInterval(this.countdown);
    if ("error" in dialog) {
      const isRefusedAtOnce = isAutomatic && performance.now() - openedAt < GESTURE_REFUSAL_MS;
      if (dialog.error === "NotAllowedError") return { kind: isRefusedAtOnce ? "needs gesture" : "cancelled" };
      if (dialog.error === "AbortError") return { kind: "cancelled" };
      return failed(browserProblem(dialog.error, texts));
    }
    this.options = null;
    this.showStatus({ isBusy: true, text: texts("verifying") });
    const finished = await ceremony.finish(options, dialog.credential, signal);
    if (finished.kind !== "done" || !ceremony.leave(finished.body)) {
      return signal.aborted ? { kind: "cancelled" } : failed(resultProblem(finished, texts));
    }
    this.showStatus({ isBusy: true, text: texts("success") });
    return { kind: "passed" };
  }

  /**
   * Counts the seconds down that the browser leaves for the key, in `.key-seconds`. After the last one, closes the
   * dialog of a browser that keeps it open, because the page says that the time is over.
   */
  private startCountdown(texts: Texts): void {
    const sentence = this.querySelector<HTMLElement>(".key-seconds");
    // The dialog of a passkey asks for more than a touch, and shows no time.
    if (!sentence) return;
    const seconds = Number(sentence.dataset["seconds"]);
    const plurals = new Intl.PluralRules(texts("locale"));
    const startedAt = performance.now();
    const show = () => {
      const left = Math.ceil(seconds - (performance.now() - startedAt) / 1000);
      if (left > 0) sentence.replaceChildren(texts(`seconds-${plurals.select(left)}`, left));
      else this.stop();
    };
    show();
    this.countdown = setInterval(show, 1000);
  }

  /** Shows the status in the panel, and the start button unless a ceremony is running. */
  private showStatus({ isBusy, text = "" }: { isBusy: boolean; text?: string }): void {
    const startButton = this.querySelector<HTMLElement>(".key-start");
    const panel = this.querySelector<HTMLElement>(".key-panel");
    if (panel && (isBusy || text)) panel.hidden = false;
    const focused = document.activeElement;
    if (startButton) startButton.hidden = isBusy;
    panel?.toggleAttribute("data-busy", isBusy);
    // The result of a failed ceremony replaces what to do during one.
    const prompt = this.querySelector<HTMLElement>(".key-prompt");
    if (prompt) prompt.hidden = !isBusy && text !== "";
    this.querySelector(".key-status")?.replaceChildren(...(text ? [text] : []));
    // While the button is hidden, the panel has its focus.
    if (focused === startButton && isBusy) panel?.focus();
    if (focused === panel && !isBusy) startButton?.focus();
  }
}

function failed(problem: Problem): Outcome {
  return { kind: "failed", problem };
}

async function settle(dialog: Promise<unknown>): Promise<{ credential: unknown } | { error: string }> {
  try {
    return { credential: await dialog };
  } catch (error) {
    return { error: error instanceof Error ? error.name : "" };
  }
}

/** Returns the text for a `DOMException` name; a generic text for unknown names. */
function browserProblem(name: string, texts: Texts): Problem {
  return { code: name, text: texts(name) || texts("generic") };
}

function resultProblem(result: ApiResult, texts: Texts): Problem {
  if (result.kind !== "refused") return { code: "network", text: texts("network") };
  const { code, body } = result;
  if (code === "xsrf") return { code, text: texts("expired"), needsRestart: true };
  if (code === "factor already registered" || code === "reauthentication_required") {
    return { code, text: texts(code), needsRestart: true };
  }
  if (code === "security key not found") return { code, text: texts("unknown key") || texts("generic") };
  if (code !== "security key refused") return commonProblem(result, texts) ?? browserProblem(code, texts);
  return { code, text: texts(readText(body, "reason")) || texts("verification") };
}
