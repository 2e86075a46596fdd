import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Language } from "#app/i18n/language.ts";
import { freePort } from "#tests/support/free-port.ts";
import { type EngineOptions, LOCALES, type RunningBrowser } from "./engine.ts";
import { startInPlace } from "./in-place.ts";
import { type Program, startProgram } from "./program.ts";
import { type Command, createBrowser, type Send } from "./web-driver.ts";

/** Method and path of each command, below the session or the element. */
const CALLS: Record<Command, (name: string) => readonly [method: "GET" | "POST", path: string]> = {
  navigate: () => ["POST", "/url"],
  address: () => ["GET", "/url"],
  find: () => ["POST", "/element"],
  click: () => ["POST", "/click"],
  clear: () => ["POST", "/clear"],
  type: () => ["POST", "/value"],
  text: () => ["GET", "/text"],
  property: (name) => ["GET", `/property/${name}`],
  attribute: (name) => ["GET", `/attribute/${name}`],
  run: () => ["POST", "/execute/sync"],
  screenshot: () => ["GET", "/screenshot"],
};

const refusal = z.object({ error: z.string(), message: z.string() });
const opened = z.object({ sessionId: z.string() });

const WINDOW_HEIGHT = 1000;

export async function startWebkit({
  language,
  javaScript = true,
  width = 1280,
}: EngineOptions): Promise<RunningBrowser> {
  const home = makeHome(language);
  const { display, screen } = await startScreen(home);
  const { driver, url } = await startDriver({ home, display, language });
  const end = async () => {
    await driver.end();
    await screen.end();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const session = await openSession(url, javaScript);
    await call("POST", `${session}/window/rect`, { body: { width, height: WINDOW_HEIGHT } });
    const close = () => call("DELETE", session).then(end);
    return { ...createBrowser(sendBy(session)), close };
  } catch (error) {
    await end();
    throw new Error(`WebKitGTK did not start:\n${driver.output()}`, { cause: error });
  }
}

async function openSession(url: string, javaScript: boolean): Promise<string> {
  const args = ["--automation", `--enable-javascript=${javaScript}`];
  const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { args } } };
  const { sessionId } = opened.parse(await call("POST", `${url}/session`, { body: { capabilities } }));
  return `${url}/session/${sessionId}`;
}

/** Lets the window shrink to the width of a phone, which the toolbar's minimum width would prevent. */
const NARROW_BAR = "* { min-width: 0; margin: 0; border-width: 0; padding: 0; font-size: 1px; }";

/** Creates a home folder. WebKitGTK takes the language from the name of an existing locale. */
function makeHome(language: Language): string {
  const home = mkdtempSync(join(tmpdir(), "gatehouse-webkit-"));
  symlinkSync("/usr/lib/locale/C.utf8", join(home, `${localeOf(language)}.utf8`));
  mkdirSync(join(home, "gtk-3.0"));
  writeFileSync(join(home, "gtk-3.0/gtk.css"), NARROW_BAR);
  return home;
}

function localeOf(language: Language): string {
  return LOCALES[language].replace("-", "_");
}

/** Starts an X server, because WebKitGTK cannot run headless. */
async function startScreen(home: string): Promise<{ display: string; screen: Program }> {
  const start = startInPlace("Xvfb", [
    "-displayfd",
    "1",
    "-screen",
    "0",
    `1400x${WINDOW_HEIGHT}x24`,
    "-nolisten",
    "tcp",
  ]);
  const screen = startProgram(start.program, start.args, { ...start.env, PROOT_TMP_DIR: home });
  const number = await screen.waitFor("its number", () => /^(\d+)$/m.exec(screen.output())?.[1] ?? null);
  return { display: `:${number}`, screen };
}

async function startDriver({ home, display, language }: { home: string; display: string; language: Language }) {
  const port = await freePort();
  const start = startInPlace("WebKitWebDriver", [`--port=${port}`]);
  const driver = startProgram(start.program, start.args, {
    ...start.env,
    HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_RUNTIME_DIR: home,
    PROOT_TMP_DIR: home,
    DISPLAY: display,
    GDK_BACKEND: "x11",
    LOCPATH: home,
    LC_ALL: `${localeOf(language)}.UTF-8`,
    LANGUAGE: "",
    // The sandbox requires namespaces, which neither a container nor proot has; only our own pages are shown.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
    // Disables desktop settings and helper processes.
    GSETTINGS_BACKEND: "memory",
    GIO_USE_VFS: "local",
    NO_AT_BRIDGE: "1",
  });
  const url = `http://127.0.0.1:${port}`;
  await driver.waitFor("its port", () => call("GET", `${url}/status`).catch(() => null));
  return { driver, url };
}

function sendBy(session: string): Send {
  return (command, parameters, element) => {
    const [method, path] = CALLS[command](String(parameters.name));
    const address = session + (element === undefined ? "" : `/element/${element}`) + path;
    return call(method, address, {
      ...(method === "POST" ? { body: parameters } : {}),
      ...(command === "find" ? { timeoutMs: FIND_TIMEOUT_MS } : {}),
    });
  };
}

/** A search during a navigation sometimes gets no response; the caller repeats it. */
const FIND_TIMEOUT_MS = 5_000;
const CALL_TIMEOUT_MS = 55_000;

type Call = { body?: unknown; timeoutMs?: number };

async function call(method: "GET" | "POST" | "DELETE", address: string, { body, timeoutMs }: Call = {}) {
  const response = await fetch(address, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs ?? CALL_TIMEOUT_MS),
  });
  const { value } = z.object({ value: z.unknown() }).parse(await response.json());
  const { success, data } = refusal.safeParse(value);
  if (!response.ok) throw new Error(success ? `${data.error}: ${data.message}` : `HTTP ${response.status}`);
  return value;
}
