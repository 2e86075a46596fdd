import { pageText } from "./page-text.ts";

export type Problem = {
  /** Error code, for `data-code`. */
  code: string;
  text: string;
  /** Invalid field; it is cleared and focused. */
  field?: HTMLInputElement;
  /** True if the page cannot be used any more; shows a link that loads it again. */
  needsRestart?: boolean;
};

const OLD_SUMMARY = "main > .alert[data-kind=error]";

/** Shows an error as the server renders it: summary above the heading, text at the field, title and colour. */
export function showProblem({ code, text, field, needsRestart = false }: Problem): void {
  clearProblem();
  const summary = newSummary(code, field ? linkTo(`#${field.id}`, text) : text);
  if (needsRestart) summary.append(linkTo(pageText("restartHref"), pageText("restart"), "line-link"));
  document.querySelector("main")?.prepend(summary);
  setTone("error");
  document.title = `${pageText("errorPrefix")} ${document.title}`;
  if (field) markField(field, text);
  else focusSummary(summary);
}

/** Removes the errors rendered by the server or by this script. */
export function clearProblem(): void {
  for (const old of document.querySelectorAll(`${OLD_SUMMARY}, .field-error`)) old.remove();
  for (const field of document.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  setTone("normal");
  const prefix = `${pageText("errorPrefix")} `;
  if (document.title.startsWith(prefix)) document.title = document.title.slice(prefix.length);
}

function focusSummary(summary: HTMLElement): void {
  summary.tabIndex = -1;
  summary.focus();
}

/** Builds the markup of the component ErrorSummary. */
function newSummary(code: string, problem: HTMLElement | string): HTMLElement {
  const summary = Object.assign(document.createElement("div"), { className: "alert" });
  summary.setAttribute("role", "alert");
  summary.dataset["kind"] = "error";
  summary.dataset["code"] = code;
  const heading = Object.assign(document.createElement("h2"), { className: "word", textContent: pageText("summary") });
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

function markField(field: HTMLInputElement, text: string): void {
  const prefix = document.createElement("span");
  prefix.className = "visually-hidden";
  prefix.textContent = pageText("errorPrefix");
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
