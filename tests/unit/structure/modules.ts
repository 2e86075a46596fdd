// The architecture as data: the module of each file, and which modules may import which.

/** A target is a module, or some files of one. */
export type Allowed = string | { module: string; files: RegExp };

/** Files without `.server` in their names also run in a browser. */
const BROWSER_SAFE = /^(?!.*\.server\.)/;

/** Modules that everything may import and that import nothing of the product. */
const LEAVES: readonly Allowed[] = ["ports", { module: "config", files: /^app\/config\/config\.ts$/ }];

const browserSafeDomain: Allowed = { module: "domain", files: BROWSER_SAFE };

/** Allowed imports, `import type` included, beside files of the same module and the leaves. */
const IMPORTS: Readonly<Record<string, readonly Allowed[]>> = {
  main: [
    "cli",
    "config",
    "context",
    "db",
    "domain",
    "http",
    "jobs",
    "metrics",
    "middleware",
    "oidc",
    "restore",
    "scripts",
  ],
  cli: ["config", "context", "db", "demo", "domain", "jobs", "mail", "oidc", "restore", "upstream"],
  jobs: ["context", "db", "domain", "http", "oidc"],
  metrics: ["context", "domain", "middleware", "oidc"],
  middleware: ["context", "domain", "http", "i18n", "oidc"],
  context: ["config", "db", "domain", "log", "mail", "oidc", "restore", "upstream"],
  // root.tsx, the two entries of Remix, and what only they use.
  document: ["client", "http", "i18n", "styles", "ui"],
  "route table": [],
  routes: ["client", "domain", "http", "i18n", "oidc", "ui", "upstream"],
  http: ["context", "domain", "i18n", "oidc", "ui", { module: "locales", files: /\/errors\.json$/ }],
  ui: [browserSafeDomain, "client", { module: "i18n", files: BROWSER_SAFE }],
  client: [browserSafeDomain, { module: "i18n", files: BROWSER_SAFE }],
  styles: [],
  oidc: ["db", "domain"],
  upstream: ["domain"],
  restore: ["db", "domain", "mail"],
  domain: ["db", "mail"],
  mail: ["i18n"],
  i18n: ["locales"],
  config: [],
  db: [],
  log: [],
  ports: [],
  demo: [],
};

/** What files of this module may import; null for a module that the architecture does not have. */
export function allowedImports(module: string): readonly Allowed[] | null {
  const allowed = IMPORTS[module];
  return allowed === undefined ? null : [...allowed, ...LEAVES];
}

/** Packages that only some modules import; all others go through these modules. */
export const OWNED_PACKAGES: readonly { packages: RegExp; modules: readonly string[]; what: string }[] = [
  { packages: /^(drizzle-orm|better-sqlite3|pg)(\/|$)/, modules: ["db"], what: "SQL" },
  // The demo contains fake providers, which are built on the same engine.
  { packages: /^oidc-provider(\/|$)/, modules: ["oidc", "demo"], what: "the OpenID provider engine" },
  // The demo application is a relying party.
  { packages: /^openid-client(\/|$)/, modules: ["upstream", "demo"], what: "the OpenID client" },
  { packages: /^nodemailer(\/|$)/, modules: ["mail"], what: "SMTP" },
  { packages: /^prom-client(\/|$)/, modules: ["metrics"], what: "metrics" },
];

/** Modules whose files without `.server` are sent to browsers. Of route modules, Remix sends only the component. */
export const BROWSER_MODULES = ["client", "routes", "ui"];

/** Whether a file is a route module: the table of app/routes.ts names it. */
export function isRouteModule(path: string, routeTable: string): boolean {
  return routeTable.includes(`"${path.replace(/^app\//, "")}"`);
}

/** Files that are modules of their own. */
const SINGLE_FILES: Readonly<Record<string, string>> = {
  "main.ts": "main",
  "app/routes.ts": "route table",
  "app/context.server.ts": "context",
  "app/ports.ts": "ports",
};

/** Files that Remix looks for in app/, and their neighbours. */
const DOCUMENT = /^app\/[\w.-]+$/;

/** The module of a file of the repository; null for a file that belongs to none. */
export function moduleOf(path: string): string | null {
  const single = SINGLE_FILES[path];
  if (single !== undefined) return single;
  if (DOCUMENT.test(path)) return "document";
  const [top = "", second = ""] = path.split("/");
  if (top === "app") return second;
  return ["locales", "demo", "scripts"].includes(top) ? top : null;
}
