import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createBrowser } from "./browser-jar.ts";
import { freePort } from "./free-port.ts";
import { ROOT } from "./source-tree.ts";

const PROGRAM = join(ROOT, "build/demo.js");
const POLL_MS = 25;

const startSchema = z.object({
  issuer: z.string(),
  app_url: z.string(),
  accounts: z.array(z.object({ username: z.string(), password: z.string() })).min(2),
});

type Demo = z.infer<typeof startSchema> & {
  /** Sends a signal; resolves to the exit code. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
};

/** Returns free ports for a demo, as its environment. */
export async function demoPorts(): Promise<Record<string, string>> {
  return {
    PORT: String(await freePort()),
    DEMO_APP_PORT: String(await freePort()),
    DEMO_PROVIDERS_PORT: String(await freePort()),
  };
}

/** Starts the built demo in a folder, which keeps its data, and waits until it is ready. */
export async function startDemo(
  folder: string,
  { env, node = process.execPath }: { env: Readonly<Record<string, string>>; node?: string },
): Promise<Demo> {
  const child = spawn(node, [PROGRAM, "--json"], {
    env: { PATH: process.env.PATH, ...env, NODE_ENV: "production" },
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(async () => {
    await stop(child, "SIGKILL");
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  while (!output.stdout.endsWith("}\n") && !hasEnded(child)) await sleep(POLL_MS);
  if (hasEnded(child)) throw new Error(`The demo ended with ${child.exitCode ?? child.signalCode}: ${output.stderr}`);
  return { ...startSchema.parse(JSON.parse(output.stdout)), stop: (signal) => stop(child, signal) };
}

type Account = Demo["accounts"][number];

/** Types the user name and password of an account of the demo; returns the page that follows. */
export async function typeDemoPassword({ app_url }: Pick<Demo, "app_url">, { username, password }: Account) {
  const browser = createBrowser({ base: app_url });
  const login = await browser.follow(await browser.get("/sign-in"));
  const posted = await browser.submit(login, login.page().form("/login/native"), { username, password });
  return { browser, page: await browser.follow(posted) };
}

/** Signs in to the demo application with the first account; returns the application's page and the user name. */
export async function signInToDemo({ app_url, accounts }: Pick<Demo, "app_url" | "accounts">) {
  const [account = { username: "", password: "" }] = accounts;
  const { browser, page } = await typeDemoPassword({ app_url }, account);
  const home = await browser.follow(await browser.submit(page, page.page().form("/consent/accept")));
  return { home, username: account.username };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (!hasEnded(child)) {
    const ended = once(child, "close");
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}
