import { readCode } from "#app/domain/totp/code.ts";
import { CODE_STATUS, FACTOR_FORM } from "./attributes.ts";
import { createOnce } from "./each-page.ts";
import { call } from "./factor-call.ts";
import { type Answer, readText } from "./json-post.ts";
import { pageText } from "./page-text.ts";
import { isCancel, passOn } from "./pass-on.ts";
import { type Problem, showProblem } from "./problem.ts";
import { commonProblem } from "./refusal.ts";

const isNew = createOnce();

/** Checks a typed code with the API before its form is submitted, so that a wrong code does not reload the page. */
export function enableCodeCheck(): void {
  const form = document.querySelector<HTMLFormElement>(`form[${FACTOR_FORM}=code]`);
  const field = form?.querySelector<HTMLInputElement>("input[name=code]");
  if (!form || !field || !isNew(form)) return;
  let isChecking = false;
  form.addEventListener("submit", async (event) => {
    if (isCancel(event)) return;
    event.preventDefault();
    if (isChecking) return;
    isChecking = true;
    isChecking = await check(form, field);
  });
}

/** Resolves to true if the form is being submitted. */
async function check(form: HTMLFormElement, field: HTMLInputElement): Promise<boolean> {
  const typed = readCode(field.value);
  if (typed.kind === "malformed") {
    const text = pageText(field.value.trim() === "" ? "missing" : "malformed");
    return refuse({ code: "invalid verification code", text, field });
  }
  const restore = tell(form, "checking");
  const answer = await call(form, "/mfa/verify-totp", { code: typed.code });
  const token = answer.kind === "done" ? readText(answer.body, "token") : "";
  if (token !== "") {
    tell(form, "success");
    // The code is single-use: the form must not submit it again.
    field.disabled = true;
    passOn(form, token);
    return true;
  }
  const problem = codeProblem(answer, field);
  if (!problem) {
    // Any other error is reported by the page that the form's POST returns.
    form.submit();
    return true;
  }
  restore();
  return refuse(problem);
}

function refuse(problem: Problem): false {
  showProblem(problem);
  return false;
}

function codeProblem(answer: Answer, field: HTMLInputElement): Problem | null {
  if (answer.kind !== "refused") return null;
  if (answer.code !== "invalid verification code") return commonProblem(answer);
  return { code: answer.code, text: clockText(answer.body["clockOffSeconds"]) || refusalText(answer), field };
}

function refusalText({ body }: Extract<Answer, { kind: "refused" }>): string {
  return pageText(readText(body, "reason") || "wrong") || pageText("wrong");
}

/** Returns the text about the device's clock offset; "" if the offset is unknown. */
function clockText(offSeconds: unknown): string {
  if (typeof offSeconds !== "number" || offSeconds === 0) return "";
  return pageText(offSeconds > 0 ? "clock-ahead" : "clock-behind", Math.abs(offSeconds));
}

/** Shows a status on the button and in the live region; returns a function that restores both. */
function tell(form: HTMLFormElement, name: "checking" | "success"): () => void {
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  const status = form.querySelector(`[${CODE_STATUS}]`);
  const before = button?.textContent ?? "";
  const show = (label: string, message: string) => {
    if (button) button.textContent = label;
    if (status) status.textContent = message;
  };
  show(pageText(name), pageText(name));
  button?.setAttribute("aria-disabled", "true");
  return () => {
    show(before, "");
    button?.removeAttribute("aria-disabled");
  };
}
