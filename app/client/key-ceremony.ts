import { browserSupportsWebAuthn, WebAuthnAbortService } from "@simplewebauthn/browser";
import { PAGE_EVENT } from "./attributes.ts";
import { createOnce } from "./each-page.ts";
import { type Answer, type Body, type Call, readText } from "./json-post.ts";
import { createKeyPanel, type KeyPanel, showOtherWays } from "./key-panel.ts";
import { pageText } from "./page-text.ts";
import { isCancel } from "./pass-on.ts";
import { clearProblem, type Problem, showProblem } from "./problem.ts";
import { commonProblem } from "./refusal.ts";

/** A WebAuthn ceremony: the server's options, the browser's dialog, the server's verification. */
export type Ceremony<Started> = {
  call: Call;
  startPath: string;
  readStarted(body: Body): Started;
  ask(started: Started): Promise<unknown>;
  finishPath: string;
  finishBody(started: Started, credential: unknown): object;
  /** Continues after the key was accepted; returns false if the response does not confirm it. */
  goOn(body: Body): boolean;
};

const isNew = createOnce();

/** A refusal faster than this did not come from the user: the browser requires a user gesture. */
const UNASKED_REFUSAL_MS = 100;

/** Time for which options can be reused after a failure; the server keeps them for five minutes. */
const QUESTION_LIFE_MS = 4 * 60_000;

/** Runs the ceremony once when the page loads, and again whenever the form is submitted. */
export function enableCeremony<Started>(form: HTMLFormElement, ceremony: Ceremony<Started>): void {
  if (!isNew(form)) return;
  if (!browserSupportsWebAuthn()) {
    showOtherWays();
    // Browsers hide the WebAuthn API in insecure contexts.
    showProblem(browserProblem(isSecureContext ? "NotSupportedError" : "SecurityError"));
    return;
  }
  const panel = createKeyPanel(form);
  const run = createRun(ceremony, panel);
  form.addEventListener("submit", (event) => {
    if (isCancel(event)) {
      run.stop();
      return;
    }
    event.preventDefault();
    void run.start({ isOwnIdea: false });
  });
  panel.stopButton?.addEventListener("click", run.stop);
  addEventListener("pagehide", run.stop);
  addEventListener(PAGE_EVENT, run.stop);
  panel.rest();
  // Does not start while the page shows an error. Otherwise waits until the page has been painted and is visible.
  if (document.querySelector("[role=alert]")) return;
  requestAnimationFrame(() => setTimeout(() => void run.start({ isOwnIdea: true })));
}

/** `unasked`: the browser refused without showing a dialog. */
type Outcome = { kind: "passed" } | { kind: "unasked" } | { kind: "failed"; problem: Problem };

function createRun<Started>(ceremony: Ceremony<Started>, panel: KeyPanel) {
  let question: { started: Started; at: number } | null = null;
  let running: AbortController | null = null;

  async function converse(signal: AbortSignal, isOwnIdea: boolean): Promise<Outcome> {
    if (!question || performance.now() - question.at > QUESTION_LIFE_MS) {
      const answer = await ceremony.call(ceremony.startPath, undefined, signal);
      if (answer.kind !== "done") return failed(answerProblem(answer, signal));
      question = { started: ceremony.readStarted(answer.body), at: performance.now() };
      if (signal.aborted) return failed(browserProblem("AbortError"));
    }
    const { started } = question;
    const askedAt = performance.now();
    // Reused options avoid a request between click and dialog: some browsers drop the user gesture after one await.
    const asked = await settle(ceremony.ask(started));
    if ("error" in asked) {
      const isUnasked = isOwnIdea && performance.now() - askedAt < UNASKED_REFUSAL_MS;
      if (isUnasked && asked.error === "NotAllowedError") return { kind: "unasked" };
      return failed(browserProblem(asked.error));
    }
    question = null;
    panel.wait(pageText("verifying"));
    const body = ceremony.finishBody(started, asked.credential);
    const answer = await ceremony.call(ceremony.finishPath, body, signal);
    if (answer.kind !== "done" || !ceremony.goOn(answer.body)) return failed(answerProblem(answer, signal));
    panel.wait(pageText("success"));
    return { kind: "passed" };
  }

  async function start({ isOwnIdea }: { isOwnIdea: boolean }): Promise<void> {
    if (running) return;
    running = new AbortController();
    clearProblem();
    panel.wait(pageText("waiting"));
    const outcome = await converse(running.signal, isOwnIdea);
    // `running` stays set, because the form is being submitted.
    if (outcome.kind === "passed") return;
    running = null;
    panel.rest();
    if (outcome.kind === "unasked") return;
    panel.offerRetry();
    showProblem(outcome.problem);
  }

  function stop(): void {
    running?.abort();
    WebAuthnAbortService.cancelCeremony();
  }

  return { start, stop };
}

function failed(problem: Problem): Outcome {
  return { kind: "failed", problem };
}

async function settle(asking: Promise<unknown>): Promise<{ credential: unknown } | { error: string }> {
  try {
    return { credential: await asking };
  } catch (error) {
    return { error: error instanceof Error ? error.name : "" };
  }
}

/** Returns the text for a `DOMException` name; a generic text for unknown names. */
function browserProblem(name: string): Problem {
  return { code: name, text: pageText(name) || pageText("generic") };
}

function answerProblem(answer: Answer, signal: AbortSignal): Problem {
  if (signal.aborted) return browserProblem("AbortError");
  if (answer.kind !== "refused") return { code: "network", text: pageText("network") };
  const { code, body } = answer;
  if (code === "xsrf") return { code, text: pageText("expired"), needsRestart: true };
  if (code === "factor already registered" || code === "reauthentication_required")
    return { code, text: pageText(code), needsRestart: true };
  if (code === "security key not found") return { code, text: pageText("unknown key") || pageText("generic") };
  if (code !== "security key refused") return commonProblem(answer) ?? browserProblem(code);
  return { code, text: pageText(readText(body, "reason")) || pageText("verification") };
}
