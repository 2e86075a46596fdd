import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readText } from "#tests/support/source-tree.ts";

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 15_000;

/** Ports of the proxy, and of Gatehouse. */
export type Ports = { tls: number; plain: number; gatehouse: number };

/** A temporary folder with a certificate for localhost; the proxy writes its files there. */
export type ProxyFolder = { path: string; certificate: string; logs(): string; remove(): void };

/** A proxy in its own process. */
export type RunningProxy = { stop(): Promise<void> };

export function createProxyFolder(): ProxyFolder {
  const path = mkdtempSync(join(tmpdir(), "gatehouse-proxy-"));
  mkdirSync(join(path, "logs"));
  const files = ["-keyout", join(path, "privkey.pem"), "-out", join(path, "fullchain.pem")];
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  execFileSync("openssl", ["req", "-x509", ...key, "-days", "2", ...name, ...files], { stdio: "ignore" });
  return {
    path,
    certificate: readFileSync(join(path, "fullchain.pem"), "utf8"),
    logs: () =>
      readdirSync(join(path, "logs"))
        .map((file) => readFileSync(join(path, "logs", file), "utf8"))
        .join("\n"),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Returns a shipped file with the test's ports, names and paths. Throws if a text to replace is missing. */
export function adapt(file: string, folder: ProxyFolder, changes: readonly (readonly [from: string, to: string])[]) {
  let text = readText(file);
  for (const [from, to] of [...changes, ["/etc/letsencrypt/live/login.example.com", folder.path] as const]) {
    if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
    text = text.replaceAll(from, to);
  }
  const target = join(folder.path, "gatehouse.conf");
  writeFileSync(target, text);
  return target;
}

/** Starts a proxy and waits until it listens. */
export async function startProxy(
  program: string,
  args: readonly string[],
  { env, port, folder }: { env: NodeJS.ProcessEnv; port: number; folder: ProxyFolder },
): Promise<RunningProxy> {
  const child = spawn(program, args, { env, cwd: folder.path, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await listens(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop(child);
      throw new Error(`${program} did not start:\n${output}\n${folder.logs()}`);
    }
    await sleep(25);
  }
  return { stop: () => stop(child) };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const patience = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(patience);
}
