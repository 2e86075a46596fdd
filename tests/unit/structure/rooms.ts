// The house as data: which room a file stands in, and which rooms may use which.

/** A target is a room, or some files of one. */
export type Allowed = string | { room: string; files: RegExp; what: string };

/** A file that runs in a browser too has no `.server` in its name. */
const BROWSER_SAFE = /^(?!.*\.server\.)/;

const browserSafeDomain: Allowed = { room: "domain", files: BROWSER_SAFE, what: "browser-safe files of domain" };

const enhanceAttributes: Allowed = {
  room: "enhance",
  files: /^app\/enhance\/attributes\.ts$/,
  what: "the attributes that enhance looks for",
};

const languageOfPeople: Allowed = {
  room: "i18n",
  files: /^app\/i18n\/(detection|instance\.server|language\.server)\.ts$/,
  what: "a person's language and its texts",
};

/** Who may import whom at run time, beside files of the same room. `import type` is free. */
export const ALLOWED: Readonly<Record<string, readonly Allowed[]>> = {
  // Only `serve --dev` builds anything by itself.
  main: ["edge", "cli", "context", "config", "db", "domain", "oidc", "metrics", "scripts"],
  edge: ["context", "oidc", "http", "domain", languageOfPeople],
  cli: ["domain", "db", "oidc", "mail", "config", "upstream", "context", "demo"],
  context: ["config", "db", "mail", "oidc", "upstream", "domain", "log"],
  config: [],
  urls: [],
  shell: ["i18n", "components", "screens", "http", "context", "styles", enhanceAttributes],
  routes: ["views", "screens", "components", "http", "i18n", "domain", "oidc", "upstream"],
  // What several routes have in common before a screen can be drawn.
  views: ["screens", "http", "i18n", "domain", "oidc"],
  screens: ["components"],
  components: [browserSafeDomain, enhanceAttributes],
  enhance: [browserSafeDomain, { room: "i18n", files: BROWSER_SAFE, what: "the detection orders" }],
  styles: [],
  // The page of last resort works when nothing else does.
  http: ["domain", { room: "locales", files: /\/errors\.json$/, what: "the texts of errors" }],
  oidc: ["domain", "db"],
  upstream: ["domain"],
  metrics: ["domain", "oidc"],
  domain: ["db", "mail"],
  mail: ["i18n"],
  i18n: ["locales"],
  db: [],
  // The lines of the log, on their way out.
  log: [],
  demo: [],
};

/** Packages that only one room knows; everybody else asks that room. */
export const OWNED_PACKAGES: readonly { packages: RegExp; rooms: readonly string[]; what: string }[] = [
  { packages: /^(drizzle-orm|better-sqlite3|pg)(\/|$)/, rooms: ["db"], what: "SQL" },
  // The demo plays the external providers with an engine of its own.
  { packages: /^oidc-provider(\/|$)/, rooms: ["oidc", "demo"], what: "the engine" },
  // The demo application is a relying party of its own and lives outside the product.
  { packages: /^openid-client(\/|$)/, rooms: ["upstream", "demo"], what: "the client of other providers" },
  { packages: /^nodemailer(\/|$)/, rooms: ["mail"], what: "SMTP" },
  { packages: /^prom-client(\/|$)/, rooms: ["metrics"], what: "figures" },
];

/** Rooms whose files without `.server` are sent to browsers. */
export const BROWSER_ROOMS = ["screens", "components", "enhance"];

/** Files that are rooms of their own. */
const SINGLE_FILES: Readonly<Record<string, string>> = {
  "main.ts": "main",
  "app/routes.ts": "urls",
  "app/context.server.ts": "context",
  "app/config/read.server.ts": "config",
};

/** The files that Remix itself asks for, and what stands beside them. */
const SHELL = /^app\/[\w.-]+$/;

/** The room a file of the repository stands in; null for a file outside the house. */
export function roomOf(path: string): string | null {
  const single = SINGLE_FILES[path];
  if (single !== undefined) return single;
  if (SHELL.test(path)) return "shell";
  const [top = "", second = ""] = path.split("/");
  if (top === "app") return second;
  return ["locales", "demo", "scripts"].includes(top) ? top : null;
}
