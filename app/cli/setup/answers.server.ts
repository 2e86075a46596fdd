import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Streams } from "#app/cli/output/output.server.ts";
import { newUserSchema } from "#app/domain/user/add.server.ts";
import { parseUsername } from "#app/domain/username/canonical.ts";
import type { Layout } from "./layout.server.ts";
import { askMail, type MailOptions } from "./mail-questions.server.ts";
import { findProxy, PROXIES, type ProxyName } from "./proxy-file.server.ts";
import { choiceProblem, createInterview, type Interview, keyProblem, type Question } from "./question.server.ts";
import type { Settings } from "./settings.server.ts";

/** Options that replace the questions. */
export type AnswerOptions = MailOptions & {
  address?: string;
  productName?: string;
  imprint?: string;
  proxy?: string;
  adminName?: string;
  adminEmail?: string;
  adminUsername?: string;
};

/** The first administrator, as of `addFirstAdministrator`. */
export type Administrator = { username: string; displayName: string; email: string };

/** The answers. `administrator` is null if there is one. `isFirst`: no earlier setup has stored its answers. */
export type Answers = {
  settings: Settings;
  proxy: ProxyName;
  administrator: Administrator | null;
  isFirst: boolean;
};

const NAMES: readonly (Question & { key: string; option: "address" | "productName" | "imprint" })[] = [
  {
    key: "ISSUER",
    option: "address",
    flag: "--address",
    text: "Public address, e.g. https://login.example.com",
    normalize: toUrl,
    problemOf: keyProblem("ISSUER"),
  },
  {
    key: "PRODUCT_NAME",
    option: "productName",
    flag: "--product-name",
    text: "Product name, on pages and in mails",
    problemOf: keyProblem("PRODUCT_NAME"),
  },
  {
    key: "IMPRINT_URL",
    option: "imprint",
    flag: "--imprint",
    text: "Address of the imprint",
    normalize: toUrl,
    problemOf: keyProblem("IMPRINT_URL"),
  },
];

/** Adds https to a host name; of an address without a path, removes the slash at the end. */
function toUrl(answer: string): string {
  if (answer === "" || /\s/.test(answer)) return answer;
  const url = /^[a-z]+:\/\//i.test(answer) ? answer : `https://${answer}`;
  return URL.canParse(url) && new URL(url).pathname === "/" && !/[?#]/.test(url) ? url.replace(/\/$/, "") : url;
}

/** Dependencies of the questions. `existing`: what is set already, which is not asked again. */
type Deps = { streams: Streams; layout: Layout; existing: Settings; needsAdministrator: boolean };

/** Asks for everything that is not set. Throws CommandError (usage), without a terminal for missing options. */
export async function askAll(deps: Deps, options: AnswerOptions): Promise<Answers> {
  const { streams, layout, existing } = deps;
  const interview = createInterview(streams);
  const isFirst = existing.env["ISSUER"] === undefined;
  const names = await askNames(interview, existing, options);
  const host = hostOf(names["ISSUER"] ?? existing.env["ISSUER"] ?? "");
  const asksMail = isFirst || options.mail !== undefined;
  const mail = asksMail ? await askMail({ streams, interview, host }, options) : { env: {}, secrets: {} };
  const proxy = isFirst || options.proxy !== undefined ? await askProxy(interview, options) : findProxy(layout);
  const administrator = deps.needsAdministrator ? await askAdministrator(interview, options) : null;
  interview.requireComplete();
  return { settings: { env: { ...names, ...mail.env }, secrets: mail.secrets }, proxy, administrator, isFirst };
}

async function askNames(
  interview: Interview,
  { env }: Settings,
  options: AnswerOptions,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const question of NAMES) {
    const given = options[question.option];
    if (given === undefined && env[question.key] !== undefined) continue;
    answers[question.key] = await interview.answer(given, question);
  }
  return answers;
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).hostname : "";
}

async function askProxy(interview: Interview, options: AnswerOptions): Promise<ProxyName> {
  const answer = await interview.answer(options.proxy, PROXY);
  return PROXIES.find((proxy) => proxy === answer) ?? "own";
}

const PROXY: Question = {
  flag: "--proxy",
  text: `Proxy: ${PROXIES.join(", ")}`,
  problemOf: choiceProblem(PROXIES),
};

async function askAdministrator(interview: Interview, options: AnswerOptions): Promise<Administrator> {
  const displayName = await interview.answer(options.adminName, ADMIN_NAME);
  const email = await interview.answer(options.adminEmail, ADMIN_EMAIL);
  const username = options.adminUsername ?? email.split("@")[0]?.toLowerCase() ?? "";
  if (email !== "" && !parseUsername(username).ok) {
    throw new CommandError(EXIT.usage, [
      `Nothing was changed: ${JSON.stringify(username)} is no user name.`,
      "Name the user of the first administrator: --admin-username anna.berger",
    ]);
  }
  return { username, displayName, email };
}

const ADMIN_NAME: Question = {
  flag: "--admin-name",
  text: "Name of the first administrator, e.g. Anna Berger",
  problemOf(name) {
    const isName = newUserSchema.shape.displayName.safeParse(name).success;
    return isName ? null : { wrong: "is not a name", expected: "one line of at most 200 characters" };
  },
};

const ADMIN_EMAIL: Question = {
  flag: "--admin-email",
  text: "E-mail address of the first administrator",
  problemOf: keyProblem("ADMIN_MAIL"),
};
