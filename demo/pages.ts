import type { NewAccount } from "./registration-client.ts";
import type { SignedInUser } from "./relying-party.ts";
import { fillIn, type Language, type Texts, textsOf } from "./texts.ts";

/** Input of every page. */
export type PageInput = { language: Language; issuerName: string };

/** Escaped HTML. Use `escapeHtml` to convert plain text. */
type Markup = string;

/** Home page without a signed-in user. */
export function welcomePage(input: PageInput): string {
  const t = textsOf(input.language);
  return page(input, {
    title: t.product,
    main: `<h1>${t.welcomeHeading}</h1><p>${t.welcomeText}</p>${signInLink(t.signIn)}<p><a href="/ask">${t.noAccount}</a></p>`,
  });
}

/** Home page of a signed-in user: claims, userinfo and actions. */
export function userPage(input: PageInput, user: SignedInUser): string {
  const t = textsOf(input.language);
  const time = user.receivedAt.toLocaleTimeString(input.language);
  const refresh = user.refreshToken === null ? "" : button("/refresh", t.refresh, "button quiet");
  return page(input, {
    title: t.product,
    main: `<h1>${format(t.signedInHeading, { name: nameOf(user) })}</h1><p>${t.signedInText}</p>
<h2>${t.claimsHeading}</h2><p class="muted">${t.claimsText}</p>${definitionList("claims", user.claims, input.language)}
<h2>${t.userinfoHeading}</h2><p class="muted">${format(t.userinfoText, { time, scope: user.scope })}</p>${definitionList("userinfo", user.userinfo, input.language)}
<div class="actions">${button("/settings", t.settings, "button")}${refresh}${button("/sign-out", t.signOut, "button quiet")}</div>`,
  });
}

/** Page after logout at the application and at the provider. */
export function signedOutPage(input: PageInput): string {
  const t = textsOf(input.language);
  return page(input, {
    title: `${t.signedOutHeading} | ${t.product}`,
    main: `<h1>${t.signedOutHeading}</h1><p>${format(t.signedOutText, { issuer: input.issuerName })}</p>${signInLink(t.signIn)}`,
  });
}

/** Problem kinds; each is the key of its text. */
export type Problem = keyof Pick<Texts, "denied" | "stale" | "unreachable" | "refused" | "ended" | "notFound">;

/** Error page. `details` is an error code for developers. */
export function problemPage(input: PageInput, problem: Problem, details: string | null): string {
  const t = textsOf(input.language);
  const more = details === null ? "" : `<p class="muted">${t.details}: <code>${escapeHtml(details)}</code></p>`;
  const action =
    problem === "notFound"
      ? `<a class="button" href="/">${t.home}</a>`
      : `<a class="button" href="/sign-in">${t.again}</a>`;
  return page(input, {
    title: `${t.problemHeading} | ${t.product}`,
    main: `<h1>${t.problemHeading}</h1><p class="problem">${format(t[problem], { issuer: input.issuerName })}</p>${more}
<div class="actions">${action}</div>`,
  });
}

/** Form for a visitor without an account; its fields are sent to the provider as registration hints. */
export function registrationHintsPage(input: PageInput): string {
  const t = textsOf(input.language);
  return page(input, {
    title: `${t.askHeading} | ${t.product}`,
    main: `<h1>${t.askHeading}</h1><p>${t.askText}</p>
<form class="fields" method="get" action="/sign-in">${field("name", t.name, "")}${field("email", t.email, "")}
<button class="button">${t.proceed}</button></form>`,
  });
}

/** Registration form. `problem` is the error code of the previous attempt. */
export function registrationPage(input: PageInput, account: NewAccount, problem: string | null): string {
  const t = textsOf(input.language);
  const alert = problem === null ? "" : `<p class="problem" role="alert">${registrationProblem(input, problem)}</p>`;
  const fields = [
    field("username", t.username, account.username),
    field("name", t.name, account.displayName),
    field("email", t.email, account.email),
  ];
  return page(input, {
    title: `${t.joinHeading} | ${t.product}`,
    main: `<h1>${t.joinHeading}</h1>${alert}<p>${t.joinText}</p>
<form class="fields" method="post" action="/join">${fields.join("")}<button class="button">${t.join}</button></form>`,
  });
}

function registrationProblem({ language }: PageInput, code: string): string {
  const t = textsOf(language);
  return code === "username not available" ? t.nameTaken : t.notMade;
}

function field(name: string, label: string, value: string): Markup {
  return `<label>${label}<input name="${name}" value="${escapeHtml(value)}" required maxlength="200"></label>`;
}

function page({ language, issuerName }: PageInput, { title, main }: { title: string; main: Markup }): string {
  const t = textsOf(language);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a class="name" href="/">${t.product}</a></header>
<main><div class="sheet">${main}</div></main>
<footer>${format(t.about, { issuer: issuerName })}</footer>
</body>
</html>
`;
}

function signInLink(label: string): Markup {
  return `<div class="actions"><a class="button" href="/sign-in">${label}</a></div>`;
}

function button(action: string, label: string, style: string): Markup {
  return `<form method="post" action="${action}"><button class="${style}">${label}</button></form>`;
}

function definitionList(id: string, values: Readonly<Record<string, unknown>>, language: Language): Markup {
  const rows = Object.entries(values).map(
    ([name, value]) =>
      `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(claimText(name, value, language))}</dd></div>`,
  );
  return `<dl id="${id}">${rows.join("")}</dl>`;
}

/** Claims that contain a time in seconds since 1970. */
const TIME_CLAIMS = ["exp", "iat", "auth_time", "updated_at"];

function claimText(name: string, value: unknown, language: Language): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !TIME_CLAIMS.includes(name)) return JSON.stringify(value);
  return `${value} (${new Date(value * 1000).toLocaleString(language)})`;
}

function nameOf({ claims, userinfo }: SignedInUser): string {
  const names = [userinfo.name, claims.name, userinfo.preferred_username, claims.preferred_username, claims.sub];
  return names.find((name) => typeof name === "string") ?? "";
}

function format(text: string, values: Readonly<Record<string, string>>): Markup {
  return escapeHtml(fillIn(text, values));
}

/** Escapes plain text for HTML content and attribute values. */
export function escapeHtml(text: string): Markup {
  const entities: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
