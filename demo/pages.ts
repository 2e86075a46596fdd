import type { SignedIn } from "./relying-party.ts";
import { fillIn, type Language, type Texts, textsOf } from "./texts.ts";

/** What every page needs to know. */
export type PageInput = { language: Language; issuerName: string };

/** Markup that is safe to send; plain text becomes it by `escapeHtml`. */
export type Markup = string;

/** Nobody is signed in. */
export function welcomePage(input: PageInput): string {
  const t = textsOf(input.language);
  return page(input, {
    title: t.product,
    main: `<h1>${t.welcomeHeading}</h1><p>${t.welcomeText}</p>${signInLink(t.signIn)}<p><a href="/ask">${t.noAccount}</a></p>`,
  });
}

/** Somebody is signed in: what the provider says about the person, and what can be done. */
export function personPage(input: PageInput, person: SignedIn): string {
  const t = textsOf(input.language);
  const time = person.receivedAt.toLocaleTimeString(input.language);
  const refresh = person.refreshToken === null ? "" : button("/refresh", t.refresh, "button quiet");
  return page(input, {
    title: t.product,
    main: `<h1>${say(t.signedInHeading, { name: nameOf(person) })}</h1><p>${t.signedInText}</p>
<h2>${t.claimsHeading}</h2><p class="muted">${t.claimsText}</p>${facts("claims", person.claims, input.language)}
<h2>${t.userinfoHeading}</h2><p class="muted">${say(t.userinfoText, { time, scope: person.scope })}</p>${facts("userinfo", person.userinfo, input.language)}
<div class="actions">${button("/settings", t.settings, "button")}${refresh}${button("/sign-out", t.signOut, "button quiet")}</div>`,
  });
}

/** After signing out here and at the provider. */
export function signedOutPage(input: PageInput): string {
  const t = textsOf(input.language);
  return page(input, {
    title: `${t.signedOutHeading} | ${t.product}`,
    main: `<h1>${t.signedOutHeading}</h1><p>${say(t.signedOutText, { issuer: input.issuerName })}</p>${signInLink(t.signIn)}`,
  });
}

/** The kinds of problem, by the name of their text. */
export type Problem = keyof Pick<Texts, "denied" | "stale" | "unreachable" | "refused" | "ended" | "notFound">;

/** Something went wrong; `details` is for the developer who reads over the person's shoulder. */
export function problemPage(input: PageInput, problem: Problem, details: string | null): string {
  const t = textsOf(input.language);
  const more = details === null ? "" : `<p class="muted">${t.details}: <code>${escapeHtml(details)}</code></p>`;
  const way =
    problem === "notFound"
      ? `<a class="button" href="/">${t.home}</a>`
      : `<a class="button" href="/sign-in">${t.again}</a>`;
  return page(input, {
    title: `${t.problemHeading} | ${t.product}`,
    main: `<h1>${t.problemHeading}</h1><p class="problem">${say(t[problem], { issuer: input.issuerName })}</p>${more}
<div class="actions">${way}</div>`,
  });
}

/** A whole page. */
export function page({ language, issuerName }: PageInput, { title, main }: { title: string; main: Markup }): string {
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
<footer>${say(t.about, { issuer: issuerName })}</footer>
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

function facts(id: string, values: Readonly<Record<string, unknown>>, language: Language): Markup {
  const rows = Object.entries(values).map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(show(name, value, language))}</dd></div>`,
  );
  return `<dl id="${id}">${rows.join("")}</dl>`;
}

/** Claims that are points in time, in seconds since 1970. */
const TIMES = ["exp", "iat", "auth_time", "updated_at"];

function show(name: string, value: unknown, language: Language): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !TIMES.includes(name)) return JSON.stringify(value);
  return `${value} (${new Date(value * 1000).toLocaleString(language)})`;
}

function nameOf({ claims, userinfo }: SignedIn): string {
  const names = [userinfo.name, claims.name, userinfo.preferred_username, claims.preferred_username, claims.sub];
  return names.find((name) => typeof name === "string") ?? "";
}

function say(text: string, values: Readonly<Record<string, string>>): Markup {
  return escapeHtml(fillIn(text, values));
}

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
