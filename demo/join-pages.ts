import { escapeHtml, type Markup, type PageInput, page } from "./pages.ts";
import type { Account } from "./registration-client.ts";
import { textsOf } from "./texts.ts";

/** Asks a person without an account for what the provider is told beforehand. */
export function askPage(input: PageInput): string {
  const t = textsOf(input.language);
  return page(input, {
    title: `${t.askHeading} | ${t.product}`,
    main: `<h1>${t.askHeading}</h1><p>${t.askText}</p>
<form class="fields" method="get" action="/sign-in">${field("name", t.name, "")}${field("email", t.email, "")}
<button class="button">${t.proceed}</button></form>`,
  });
}

/** The form for the account itself; `problem` is why the one that was asked for could not be made. */
export function joinPage(input: PageInput, account: Account, problem: string | null): string {
  const t = textsOf(input.language);
  const why = problem === null ? "" : `<p class="problem" role="alert">${joinProblem(input, problem)}</p>`;
  const fields = [
    field("username", t.username, account.username),
    field("name", t.name, account.displayName),
    field("email", t.email, account.email),
  ];
  return page(input, {
    title: `${t.joinHeading} | ${t.product}`,
    main: `<h1>${t.joinHeading}</h1>${why}<p>${t.joinText}</p>
<form class="fields" method="post" action="/join">${fields.join("")}<button class="button">${t.join}</button></form>`,
  });
}

function joinProblem({ language }: PageInput, code: string): string {
  const t = textsOf(language);
  return code === "username not available" ? t.nameTaken : t.notMade;
}

function field(name: string, label: string, value: string): Markup {
  return `<label>${label}<input name="${name}" value="${escapeHtml(value)}" required maxlength="200"></label>`;
}
