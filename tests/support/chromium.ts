import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright";
import { count } from "./counts.ts";
import { ROOT } from "./source-tree.ts";
import { keepProcess } from "./unexpected.ts";

/**
 * No sandbox, which root cannot use, and no background network requests. One process for the pages of a context,
 * because a process per site compiles the scripts again after each redirect to another site.
 */
const ARGS = [
  "--no-sandbox",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-site-isolation-trials",
  "--renderer-process-limit=1",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
];

/** Paths of a Chromium when the tests run without `npm test`; the unpacked headless shell is the fastest. */
const INSTALLED = [
  join(ROOT, ".cache/headless-shell/root/usr/lib/chromium/chromium-headless-shell"),
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** Timeout of one user action. */
const STEP_TIMEOUT_MS = 15_000;

export type ContextOptions = Omit<BrowserContextOptions, "javaScriptEnabled"> & {
  javaScript?: boolean;
  /** Expected lines of the browser's console. */
  expected?: readonly RegExp[];
};

/** A user's browser context: cookies, language, JavaScript on or off. */
export type BrowserSession = {
  context: BrowserContext;
  page: Page;
  /** Errors thrown by scripts or reported by the browser, e.g. for the content security policy. */
  problems: readonly string[];
  /** Closes the context. Throws if there were problems. */
  close(): Promise<void>;
};

export type Chromium = {
  browser: Browser;
  /** Opens another user's browser context; by default English with JavaScript. */
  open(options?: ContextOptions): Promise<BrowserSession>;
  /** Closes all contexts; Chromium itself stays for the next test file of the worker. */
  close(): Promise<void>;
};

let running: Promise<Browser> | null = null;

/** Starts Chromium, or returns the one that an earlier test file of this worker started. It ends with the worker. */
export async function startChromium(): Promise<Chromium> {
  running ??= launch();
  const browser = await running;
  return {
    browser,
    open: (options) => openBrowserSession(browser, options),
    async close() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
  };
}

async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? INSTALLED.find((path) => existsSync(path));
  const browser = await chromium.launch({ args: ARGS, ...(executablePath === undefined ? {} : { executablePath }) });
  count("browsers");
  const release = keepProcess();
  browser.once("disconnected", () => {
    running = null;
    release();
  });
  return browser;
}

/** Responses with 4xx are not problems. */
const HARMLESS = [/^Failed to load resource: the server responded with a status of 4\d\d/];

async function openBrowserSession(browser: Browser, options: ContextOptions = {}): Promise<BrowserSession> {
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
