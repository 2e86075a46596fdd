import type { ApiResult } from "./json-post.ts";
import type { Texts } from "./texts.ts";

export type Problem = {
  /** Error code, for `data-code`. */
  code: string;
  text: string;
  /** Invalid field; it is cleared and focused. */
  field?: HTMLInputElement;
  /** True if the page has to be loaded again; shows a link that does so. */
  needsRestart?: boolean;
};

const OLD_SUMMARY = "main > .alert[data-kind=error]";

/** Shows an error as the server renders it: summary above the heading, text at the field, title and colour. */
export function showProblem(problem: Problem, texts: Texts): void {
  const { code, text, field, needsRestart = false } = problem;
  clearProblem(texts);
  const summary = newSummary(code, texts("summary"), field ? linkTo(`#${field.id}`, text) : text);
  if (needsRestart) summary.append(linkTo(texts("restartHref"), texts("restart"), "line-link"));
  document.querySelector("main")?.prepend(summary);
  setTone("error");
  document.title = `${texts("errorPrefix")} ${document.title}`;
  if (field) markField(field, text, texts("errorPrefix"));
  else focusSummary(summary);
}

/** Removes the errors rendered by the server or by this script. */
export function clearProblem(texts: Texts): void {
  for (const old of document.querySelectorAll(`${OLD_SUMMARY}, .field-error`)) old.remove();
  for (const field of document.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  setTone("normal");
  const prefix = `${texts("errorPrefix")} `;
  if (document.title.startsWith(prefix)) document.title = document.title.slice(prefix.length);
}

/** Returns the problem of results that codes and keys have in common, statuses 401 and 429; null for all others. */
export function commonProblem(result: Extract<ApiResult, { kind: "refused" }>, texts: Texts): Problem | null {
  const { status, code, waitMinutes } = result;
  if (status === 401) return { code: "unauthorized", text: texts("expired"), needsRestart: true };
  if (status !== 429) return null;
  return { code, text: texts(waitMinutes === 1 ? "throttled-one" : "throttled-other", waitMinutes) };
}

function focusSummary(summary: HTMLElement): void {
  summary.tabIndex = -1;
  summary.focus();
}

/** Builds the markup of the component ErrorSummary. */
function newSummary(code: string, title: string, problem: HTMLElement | string): HTMLElement {
  const summary = Object.assign(document.createElement("div"), { className: "alert" });
  summary.setAttribute("role", "alert");
  summary.dataset["kind"] = "error";
  summary.dataset["code"] = code;
  const heading = Object.assign(document.createElement("h2"), { className: "word", textContent: title });
  const item = document.createElement("li");
  item.append(problem);
  const list = document.createElement("ul");
  list.append(item);
  summary.append(heading, list);
  return summary;
}

function linkTo(href: string, text: string, className = ""): HTMLAnchorElement {
  const link = Object.assign(document.createElement("a"), { href, textContent: text });
  if (className) link.className = className;
  return link;
}

function markField(field: HTMLInputElement, text: string, errorPrefix: string): void {
  const prefix = document.createElement("span");
  prefix.className = "visually-hidden";
  prefix.textContent = errorPrefix;
  const error = Object.assign(document.createElement("p"), { id: `${field.id}-error`, className: "field-error" });
  error.append(prefix, " ", text);
  field.before(error);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", `${field.id}-hint ${error.id}`);
  field.value = "";
  field.focus();
}

function setTone(tone: string): void {
  const sheet = document.querySelector<HTMLElement>(".sheet");
  if (sheet) sheet.dataset["tone"] = tone;
}
