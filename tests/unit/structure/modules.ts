// The architecture as data: the module of each file, and the allowed imports between modules.

/** A module, or some files of it. */
export type Allowed = string | { module: string; files: RegExp };

/** Files without `.server` in their names, which also run in a browser. */
const BROWSER_SAFE = /^(?!.*\.server\.)/;

/** Modules that every module may import and that import no other module. */
const LEAVES: readonly Allowed[] = [
  "durations",
  "ports",
  "mail address",
  "browser name",
  "limited fetch",
  { module: "config", files: /^app\/config\/(config|providers|version\.server)\.ts$/ },
];

const browserSafeDomain: Allowed = { module: "domain", files: BROWSER_SAFE };

/** Allowed imports, `import type` included, in addition to the same module and the leaves. */
const IMPORTS: Readonly<Record<string, readonly Allowed[]>> = {
  main: ["cli", "service"],
  service: ["cli", "context", "db", "domain", "jobs", "metrics", "middleware", "oidc", "restore"],
  cli: ["config", "context", "db", "domain", "jobs", "mail", "oidc", "restore", "upstream"],
  jobs: ["context", "db", "domain", "http", "oidc"],
  metrics: ["context", "domain", "mail", "middleware", "oidc"],
  middleware: ["context", "domain", "http", "i18n", "oidc"],
  context: ["config", "db", "domain", "log", "mail", "oidc", "restore", "upstream"],
  // root.tsx, the two entries of Remix, and the files that only these use.
  document: ["client", "http", "i18n", "styles", "ui"],
  "route table": [],
  routes: ["client", "domain", "http", "i18n", "oidc", "ui", "upstream"],
  http: ["context", "domain", "i18n", "oidc", "ui"],
  ui: [browserSafeDomain, "client", { module: "i18n", files: BROWSER_SAFE }],
  client: [browserSafeDomain, { module: "i18n", files: BROWSER_SAFE }],
  styles: [],
  oidc: ["db", "domain", { module: "i18n", files: BROWSER_SAFE }],
  upstream: ["domain"],
  restore: ["db", "domain", "mail"],
  domain: ["db", "mail"],
  mail: ["i18n", { module: "db", files: /^app\/db\/files\/new-file\.server\.ts$/ }],
  i18n: ["locales"],
  config: [{ module: "i18n", files: BROWSER_SAFE }],
  db: [],
  durations: [],
  log: [],
  ports: [],
  "mail address": [],
  "browser name": [],
  "limited fetch": [],
  demo: ["cli", "config", "context", "db", "domain", "mail", "restore", "service"],
};

/** Returns the allowed imports of a module; null if the architecture has no such module. */
export function allowedImports(module: string): readonly Allowed[] | null {
  const allowed = IMPORTS[module];
  return allowed === undefined ? null : [...allowed, ...LEAVES];
}

/** Packages that only some modules may import. */
export const OWNED_PACKAGES: readonly { packages: RegExp; modules: readonly string[]; what: string }[] = [
  { packages: /^(drizzle-orm|better-sqlite3|pg)(\/|$)/, modules: ["db"], what: "SQL" },
  // The fake providers of the demo are built on the same engine.
  { packages: /^oidc-provider(\/|$)/, modules: ["oidc", "demo"], what: "the OpenID provider engine" },
  // The demo application and `client try` are relying parties; mail gets access tokens for the mail server.
  { packages: /^openid-client(\/|$)/, modules: ["upstream", "mail", "demo", "cli"], what: "the OpenID client" },
  { packages: /^nodemailer(\/|$)/, modules: ["mail"], what: "SMTP" },
  { packages: /^prom-client(\/|$)/, modules: ["metrics"], what: "metrics" },
];

/** Modules whose files without `.server` are sent to browsers. Of route modules, Remix sends only the component. */
export const BROWSER_MODULES = ["client", "routes", "ui"];

/** Returns whether app/routes.ts contains the file. */
export function isRouteModule(path: string, routeTable: string): boolean {
  return routeTable.includes(`"${path.replace(/^app\//, "")}"`);
}

/** Files that are modules by themselves. */
const SINGLE_FILES: Readonly<Record<string, string>> = {
  "main.ts": "main",
  "app/routes.ts": "route table",
  "app/service.server.ts": "service",
  "app/built-service.server.ts": "service",
  "app/context.server.ts": "context",
  "app/durations.ts": "durations",
  "app/ports.ts": "ports",
  "app/mail-address.server.ts": "mail address",
  "app/browser-name.server.ts": "browser name",
  "app/limited-fetch.server.ts": "limited fetch",
};

/** Files that Remix expects in app/, and their neighbours. */
const DOCUMENT = /^app\/[\w.-]+$/;

/** Returns the module of a file; null if it belongs to none. */
export function moduleOf(path: string): string | null {
  const single = SINGLE_FILES[path];
  if (single !== undefined) return single;
  if (DOCUMENT.test(path)) return "document";
  const [top = "", second = ""] = path.split("/");
  if (top === "app") return second;
  return ["locales", "demo", "scripts"].includes(top) ? top : null;
}
