import { chmodSync, chownSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { fileKey } from "#app/config/environment.server.ts";
import { syncPath, writeAtomically } from "#app/db/files/companion-files.server.ts";
import type { Random } from "#app/ports.ts";
import { withKeys } from "./environment-file.server.ts";
import { type Layout, secretFileOf } from "./layout.server.ts";
import type { ServiceUser } from "./service-user.server.ts";
import { MAIL_SECRETS, type Settings } from "./settings.server.ts";

const SECRET_KEY_BYTES = 48;
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
const READABLE_BY_ALL = 0o644;

/** Creates the folders of the installation with owners and modes, and removes temporary files of an ended setup. */
export function prepareFolders({ configFolder, dataFolder, backupFolder }: Layout, user: ServiceUser): void {
  mkdirSync(configFolder, { recursive: true });
  chmodSync(configFolder, PRIVATE_FOLDER);
  for (const name of readdirSync(configFolder).filter((file) => file.endsWith(".part"))) {
    rmSync(join(configFolder, name));
  }
  for (const folder of [dataFolder, backupFolder]) {
    mkdirSync(folder, { recursive: true });
    if (user) chownSync(folder, user.uid, user.gid);
    chmodSync(folder, PRIVATE_FOLDER);
  }
}

/** Throws CommandError (refused) if there is a database without its secret key, which no new key can replace. */
export function requireKeyOfDatabase(layout: Layout): void {
  const file = secretFileOf(layout, "SECRET_KEYS");
  if (existsSync(file) || !existsSync(join(layout.dataFolder, "gatehouse.sqlite"))) return;
  throw new CommandError(EXIT.refused, [
    `Nothing was changed: there is a database in ${layout.dataFolder}, but its secret key ${file} is missing.`,
    "The database cannot be used with another key. Put your copy of the key there, then run gatehouse setup again.",
  ]);
}

/**
 * Returns the secret key, which is created first if there is none. An existing one is never overwritten, also if another
 * process creates it at the same time.
 */
export function ensureSecretKey(layout: Layout, random: Random): string {
  const file = secretFileOf(layout, "SECRET_KEYS");
  if (!existsSync(file)) createOnce(file, `${Buffer.from(random.bytes(SECRET_KEY_BYTES)).toString("base64")}\n`);
  chmodSync(file, PRIVATE_FILE);
  return readFileSync(file, "utf8").trim();
}

/** Creates a file with its whole content, unless it exists. */
function createOnce(file: string, text: string): void {
  const complete = `${file}.${process.pid}.new.part`;
  writeAtomically(complete, text);
  try {
    // Fails if the file exists, unlike a renaming.
    linkSync(complete, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  rmSync(complete);
  syncPath(dirname(file));
}

/**
 * Writes the secret of the mail server, and the drop-in that passes it to the unit. `replaces`: an earlier setup, which
 * ended before it wrote the environment file, may have left another one.
 */
export function writeMailSecret(
  layout: Layout,
  secrets: Settings["secrets"],
  { replaces }: { replaces: boolean },
): void {
  for (const name of MAIL_SECRETS) {
    const secret = secrets[name];
    if (secret !== undefined) {
      writeAtomically(secretFileOf(layout, name), `${secret}\n`);
      mkdirSync(dirname(layout.dropIn), { recursive: true });
      writeAtomically(layout.dropIn, dropInFor(layout, name), READABLE_BY_ALL);
    } else if (replaces) {
      rmSync(secretFileOf(layout, name), { force: true });
    }
  }
  if (replaces && MAIL_SECRETS.every((name) => secrets[name] === undefined)) rmSync(layout.dropIn, { force: true });
}

function dropInFor(layout: Layout, name: string): string {
  const file = secretFileOf(layout, name);
  const credential = file.slice(file.lastIndexOf("/") + 1);
  return [
    "# Written by gatehouse setup: passes the secret of the mail server to the service.",
    "[Service]",
    `LoadCredential=${credential}:${file}`,
    `Environment=${fileKey(name)}=%d/${credential}`,
    "",
  ].join("\n");
}

/** Adds keys to the environment file. It is written last: its address shows that setup has stored all answers. */
export function writeEnvironmentFile({ environmentFile }: Layout, added: Settings["env"]): void {
  const existing = existsSync(environmentFile) ? readFileSync(environmentFile, "utf8") : "";
  if (Object.keys(added).length > 0) writeAtomically(environmentFile, withKeys(existing, added));
  chmodSync(environmentFile, PRIVATE_FILE);
}
