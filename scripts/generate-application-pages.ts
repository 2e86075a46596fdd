import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Application, ISSUER } from "./applications/application.ts";
import { APPLICATIONS } from "./applications/applications.ts";

const FOLDER = "docs/applications";

const ORIGIN =
  "The settings were compiled from the documentation and the source code of the application. The tests of Gatehouse " +
  "check the registration of the client, but do not run the application.";

/** Writes a page for each application, and removes other pages, unless `check` is set. Returns the stale paths. */
export async function generateApplicationPages(root: string, { check }: { check: boolean }): Promise<string[]> {
  const pages = new Map(APPLICATIONS.map((application) => [`${FOLDER}/${application.id}.md`, renderPage(application)]));
  const present = await readdir(join(root, FOLDER)).catch(() => []);
  const others = present.map((name) => `${FOLDER}/${name}`).filter((path) => !pages.has(path));
  const stale = [...others];
  if (!check) await Promise.all(others.map((path) => rm(join(root, path))));
  for (const [path, text] of pages) {
    const file = join(root, path);
    if ((await readFile(file, "utf8").catch(() => null)) === text) continue;
    stale.push(path);
    if (check) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return stale;
}

/** Returns the command that registers the client of an application. */
export function clientAddCommand({ id, title, client }: Application): string {
  const options = [
    `--id ${id} --name "${title}" --first-party --everyone`,
    ...client.redirectUris.map((uri) => `--redirect-uri ${uri}`),
    ...(client.postLogoutRedirectUris ?? []).map((uri) => `--post-logout-redirect-uri ${uri}`),
    ...(client.backchannelLogoutUri ? [`--backchannel-logout-uri ${client.backchannelLogoutUri}`] : []),
    client.scopes.map((scope) => `--scope ${scope}`).join(" "),
    client.authMethod === "none" ? "--public" : `--auth-method ${client.authMethod}`,
    ...(client.sendsPkce ? [] : ["--no-pkce"]),
  ];
  return `gatehouse client add ${options.join(" \\\n  ")}`;
}

function renderPage(application: Application): string {
  const { id, title, version, settings, users, groups, signOut, traps } = application;
  return `<!-- Generated from scripts/applications/${id}.ts: npm run generate -->

# ${title}

${wrap(`For ${version}. ${ORIGIN}`)}

Replace \`${ISSUER}\` by the address of Gatehouse (\`ISSUER\`) and the address of the application by its own.

## Register the client

${codeBlock("sh", clientAddCommand(application))}

${registrationNotes(application)}

## Settings of ${title}

${settings.map((part) => `${wrap(part.intro)}\n\n${"fields" in part ? table(part.fields) : codeBlock(part.language, part.text)}`).join("\n\n")}

## Users are found by \`sub\`

${wrap(users)}

${groups === undefined ? "" : `## Groups\n\n${wrap(groups)}\n\n`}## Sign-out

${signOut.includes("\n") ? signOut : wrap(signOut)}

## Known traps

${traps.map((trap) => wrap(`- ${trap}`, "  ")).join("\n")}

If the sign-in fails, \`gatehouse client try ${id}\` signs in as this client and reports what is wrong.
[For developers of client applications](../clients.md) has the details.
`;
}

function registrationNotes({ client }: Application): string {
  const authentication =
    client.authMethod === "none" ? "none: a public client without a secret" : `\`${client.authMethod}\``;
  return table([
    ["client authentication", authentication],
    ["PKCE", client.sendsPkce ? "required (S256)" : "not required (`--no-pkce`)"],
    ["scopes", client.scopes.map((scope) => `\`${scope}\``).join(" ")],
    ["open to", "every user; to close it for others, use `--allow-group NAME` in place of `--everyone`"],
    ["consent", "not requested; without `--first-party`, users are asked for it"],
  ]);
}

function table(rows: readonly (readonly [string, string])[]): string {
  return ["| setting | value |", "|---|---|", ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join("\n");
}

function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

const LINE_LENGTH = 120;

/** Breaks a paragraph into lines, but not inside of code; `indent` begins all but the first. */
function wrap(text: string, indent = ""): string {
  const lines = [""];
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= LINE_LENGTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(indent + word);
  }
  return lines.join("\n");
}
