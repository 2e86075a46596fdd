import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright";
import { ROOT } from "./source-tree.ts";

/** No sandbox, because root has none; and nothing that a browser does by itself, because no network is there for it. */
const ARGS = [
  "--no-sandbox",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
];

/** Where one is, when the tests run without `npm test`, which says it: first the quick one that the setup has unpacked. */
const INSTALLED = [
  join(ROOT, ".cache/headless-shell/root/usr/lib/chromium/chromium-headless-shell"),
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** A step of a person: a page that takes longer is broken. */
const STEP_TIMEOUT_MS = 15_000;

export type ContextOptions = Omit<BrowserContextOptions, "javaScriptEnabled"> & {
  javaScript?: boolean;
  /** Lines of the browser's console that this person is meant to get. */
  expected?: readonly RegExp[];
};

/** One person's browser: cookies, language, JavaScript on or off. */
export type PersonsBrowser = {
  context: BrowserContext;
  page: Page;
  /** Errors that scripts threw or the browser reported, e.g. of the content security policy. */
  problems: readonly string[];
  /** Closes it; throws when there were problems. */
  close(): Promise<void>;
};

export type Chromium = {
  browser: Browser;
  /** Opens the browser of one more person; English, JavaScript on. */
  open(options?: ContextOptions): Promise<PersonsBrowser>;
  close(): Promise<void>;
};

/** Starts Chromium; one per file of tests is enough. */
export async function startChromium(): Promise<Chromium> {
  const executablePath = process.env.CHROMIUM_PATH ?? INSTALLED.find((path) => existsSync(path));
  const browser = await chromium.launch({ args: ARGS, ...(executablePath === undefined ? {} : { executablePath }) });
  return {
    browser,
    open: (options) => openPersonsBrowser(browser, options),
    close: () => browser.close(),
  };
}

/** A document that was answered with 4xx, or a file that is missing on purpose, is no problem by itself. */
const HARMLESS = [/^Failed to load resource: the server responded with a status of 4\d\d/];

async function openPersonsBrowser(browser: Browser, options: ContextOptions = {}): Promise<PersonsBrowser> {
  const { javaScript = true, expected = [], ...rest } = options;
  const context = await browser.newContext({ locale: "en-GB", javaScriptEnabled: javaScript, ...rest });
  context.setDefaultTimeout(STEP_TIMEOUT_MS);
  const problems: string[] = [];
  const report = (line: string) => {
    if (![...HARMLESS, ...expected].some((pattern) => pattern.test(line))) problems.push(line);
  };
  context.on("console", (message) => {
    if (message.type() === "error") report(message.text());
  });
  context.on("weberror", (error) => report(String(error.error())));
  const page = await context.newPage();
  return {
    context,
    page,
    problems,
    async close() {
      await context.close();
      if (problems.length > 0) throw new Error(`The browser reported:\n${problems.join("\n")}`);
    },
  };
}
