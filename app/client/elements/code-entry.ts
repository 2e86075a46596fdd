import { callFactorApi, isCancel, submitWithToken } from "#app/client/factor-form.ts";
import { type ApiResult, readText } from "#app/client/json-post.ts";
import { commonProblem, type Problem, showProblem } from "#app/client/page-problem.ts";
import { pressEnded } from "#app/client/press.ts";
import { type Texts, textsOf } from "#app/client/texts.ts";
import { readCode } from "#app/domain/factor/code.ts";
import { LiveElement } from "./live-element.ts";

/**
 * Wraps the form for a code of the second factor. Checks the code with the API before the form is submitted, so that a
 * wrong code does not reload the page. Submits the form when six digits were pasted or filled in; a user who types them
 * may still correct them (WCAG 3.2.2).
 */
export class CodeEntry extends LiveElement {
  protected connect(signal: AbortSignal): void {
    const form = this.querySelector("form");
    const field = this.querySelector<HTMLInputElement>("input[name=code]");
    if (!form || !field) return;
    let isChecking = false;
    let length = field.value.length;
    const check = async (event: SubmitEvent) => {
      if (isCancel(event)) return;
      event.preventDefault();
      if (isChecking) return;
      isChecking = true;
      isChecking = await this.checkAndSubmit(form, field);
      length = field.value.length;
    };
    const submitFilled = (event: Event) => {
      const isPasted = event instanceof InputEvent && event.inputType === "insertFromPaste";
      // Autofill dispatches different events in each browser, but inserts several characters at once.
      const isFilled = isPasted || field.value.length - length > 1;
      length = field.value.length;
      if (isFilled && readCode(field.value).kind === "totp") form.requestSubmit();
    };
    form.addEventListener("submit", check, { signal });
    for (const type of ["input", "change"]) field.addEventListener(type, submitFilled, { signal });
  }

  /** Resolves to true if the form is being submitted. */
  private async checkAndSubmit(form: HTMLFormElement, field: HTMLInputElement): Promise<boolean> {
    const texts = textsOf(this);
    const typed = readCode(field.value);
    if (typed.kind === "malformed") {
      const text = texts(field.value.trim() === "" ? "missing" : "malformed");
      showProblem({ code: "invalid verification code", text, field }, texts);
      return false;
    }
    const restore = this.showStatus(texts("checking"));
    const result = await callFactorApi(form, "/mfa/verify-totp", { code: typed.code });
    if (result.kind === "done" && submitWithToken(form, readText(result.body, "token"))) {
      this.showStatus(texts("success"));
      // The code is single-use: the form must not submit it again.
      field.disabled = true;
      return true;
    }
    const problem = codeProblem(result, field, texts);
    if (!problem) {
      // Any other error is reported by the page that the form's POST returns.
      form.submit();
      return true;
    }
    await pressEnded();
    restore();
    showProblem(problem, texts);
    return false;
  }

  /** Shows a status on the button and in the live region; returns a function that restores both. */
  private showStatus(text: string): () => void {
    const button = this.querySelector("button[type=submit]");
    const status = this.querySelector("[aria-live]");
    const label = button?.textContent ?? "";
    const show = (onButton: string, announced: string) => {
      if (button) button.textContent = onButton;
      if (status) status.textContent = announced;
    };
    show(text, text);
    button?.setAttribute("aria-disabled", "true");
    return () => {
      show(label, "");
      button?.removeAttribute("aria-disabled");
    };
  }
}

function codeProblem(result: ApiResult, field: HTMLInputElement, texts: Texts): Problem | null {
  if (result.kind !== "refused") return null;
  const { code, body } = result;
  if (code !== "invalid verification code") return commonProblem(result, texts);
  const text = clockText(body["clockOffSeconds"], texts) || texts(readText(body, "reason")) || texts("wrong");
  return { code, text, field };
}

/** Returns the text about the device's clock offset; "" if the offset is unknown. */
function clockText(offSeconds: unknown, texts: Texts): string {
  if (typeof offSeconds !== "number" || offSeconds === 0) return "";
  return texts(offSeconds > 0 ? "clock-ahead" : "clock-behind", Math.abs(offSeconds));
}
