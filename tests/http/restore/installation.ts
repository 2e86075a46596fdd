import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { BaseContext } from "#app/context.server.ts";
import { addClient, addUser, administer, type Ended, runHere, runProgram } from "#tests/http/crash/command.ts";
import { open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { type ChildServer, startChildServer } from "#tests/support/child-server.ts";
import { createRelyingParty, type RelyingParty } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";

/** A server in its own process, with access to its database folder, and the administrator's commands. */
export type Installation = {
  server: ChildServer;
  party: RelyingParty;
  file: string;
  folder: string;
  /** Runs a function beside the server, like an administrator's command. */
  administer<T>(work: (context: BaseContext) => Promise<T>): Promise<T>;
  /** Runs a command in this process and returns its JSON output; throws if the command fails. */
  command(...args: string[]): Promise<Record<string, unknown> | null>;
  /** Does the same with the built program. */
  builtCommand(...args: string[]): Promise<Record<string, unknown> | null>;
  /** Runs a command of the built program and returns its result, failures included. */
  attempt(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  addUser(username: string): Promise<{ id: string }>;
  /** Returns whether this password signs the user in. */
  canSignIn(username: string, password?: string): Promise<boolean>;
  /** Copies a file over the database. */
  dropIn(from: string): void;
  close(): Promise<void>;
};

/** Starts a server. `env`: settings in addition to the required ones. */
export async function startInstallation(env: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-office-"));
  const file = join(folder, "gatehouse.sqlite");
  const server = await startChildServer({
    env: { DATABASE_URL: `sqlite:${file}`, BACKUP_DIR: join(folder, "copies"), ...env },
  });
  const party = createRelyingParty({ issuer: server.url, client: await addClient(server, "suite") });

  function readResult(args: readonly string[], { code, stdout, stderr }: Ended): Record<string, unknown> | null {
    if (code !== 0) throw new Error(`gatehouse ${args.join(" ")} ended with ${code}: ${stderr}`);
    return z.record(z.string(), z.unknown()).nullable().parse(JSON.parse(stdout));
  }

  return {
    server,
    party,
    file,
    folder,
    command: async (...args) => readResult(args, await runHere(server.env, [...args, "--json"])),
    builtCommand: async (...args) => readResult(args, await runProgram(server.env, [...args, "--json"])),
    attempt: (args, more = {}) => runProgram({ ...server.env, ...more }, args),
    administer: (work) => administer(server, work),
    addUser: (username) => addUser(server, { username, password: TEST_PASSWORD }),
    async canSignIn(username, password = TEST_PASSWORD) {
      const browser = createBrowser({ base: server.url });
      const form = await open(browser, party.request().url);
      return (await typePassword(browser, form, { username, password })).location !== null;
    },
    dropIn: (from) => copyFileSync(from, file),
    async close() {
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
