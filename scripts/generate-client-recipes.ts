import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SNIPPETS, type SnippetKind, snippetFor } from "../app/cli/snippets/snippet.ts";

const FILE = "docs/clients.md";

/** Titles of the recipes, with their languages in Markdown. */
const TITLES: Readonly<Record<SnippetKind, { title: string; language: string; note: string }>> = {
  "openid-client": { title: "Node.js: openid-client", language: "js", note: "For openid-client 6." },
  "oidc-client-ts": {
    title: "Browser: oidc-client-ts",
    language: "js",
    note: "For oidc-client-ts 3. The client is registered with `--public`.",
  },
  curl: { title: "Shell: curl", language: "sh", note: "For bash, to see what happens." },
  authlib: { title: "Python: Authlib", language: "python", note: "For Authlib 1 with Flask." },
  django: {
    title: "Python: Django with mozilla-django-oidc",
    language: "python",
    note:
      "For mozilla-django-oidc 4 or later. Its default finds users by their e-mail address: a user who enters the\n" +
      "address of somebody else would be signed in as that person. The backend finds them by `sub`. No test runs this\n" +
      "recipe; a test compares its values. It was run by hand on 28 November 2026 with mozilla-django-oidc 5.0.2 and\n" +
      "Django 5.2.19, and with 4.0.1 and 4.2.30: a user with the e-mail address of another account got an own account.",
  },
  spring: {
    title: "Java: Spring Security",
    language: "yaml",
    note:
      "For Spring Boot 3 and 4. An issuer or redirect URI with `127.0.0.1` in place of `localhost` is another one: Spring\n" +
      "Boot does not start, and the last cause in its log contains the response of Gatehouse, which names the issuer. No\n" +
      "test runs this recipe; a test compares its values. It was run by hand on 28 November 2026, with the bean of\n" +
      "[Groups](#groups), with Spring Boot 3.5.7 (Spring Security 6.5.6) and Spring Boot 4.0.0 (Spring Security 7.0.0).",
  },
  mod_auth_openidc: {
    title: "Apache: mod_auth_openidc",
    language: "apache",
    note: "For mod_auth_openidc 2.4. `REMOTE_USER` is the `sub` of the user.",
  },
};

/** The client of the recipes. */
const CLIENT = {
  id: "broker-desk",
  redirectUris: ["https://desk.example.com/callback"],
  postLogoutRedirectUris: ["https://desk.example.com/"],
  scopes: ["openid", "profile", "email"],
  idTokenAlg: "RS256",
} as const;

const START = "<!-- The recipes are generated: npm run generate -->\n";
const END = "<!-- End of the recipes -->\n";

/** Writes the recipes of docs/clients.md, unless `check` is set. Returns the stale paths. */
export async function generateClientRecipes(root: string, { check }: { check: boolean }): Promise<string[]> {
  const file = join(root, FILE);
  const present = await readFile(file, "utf8");
  const [before = "", rest] = present.split(START);
  const after = rest?.split(END)[1];
  if (after === undefined) throw new Error(`${FILE} does not contain ${START}${END}`);
  const written = `${before}${START}${SNIPPETS.map(render).join("")}\n${END}${after}`;
  if (present === written) return [];
  if (!check) await writeFile(file, written);
  return [FILE];
}

function render(kind: SnippetKind): string {
  const { title, language, note } = TITLES[kind];
  const authMethod = kind === "oidc-client-ts" ? "none" : "client_secret_basic";
  const code = snippetFor(kind, "https://login.example.com", {
    ...CLIENT,
    redirectUris: [...CLIENT.redirectUris],
    postLogoutRedirectUris: [...CLIENT.postLogoutRedirectUris],
    scopes: [...CLIENT.scopes],
    authMethod,
  });
  return `\n### ${title}\n\n${note}\n\n\`\`\`${language}\n${code}\n\`\`\`\n`;
}
