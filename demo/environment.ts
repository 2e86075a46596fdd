import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Environment } from "#app/cli/command-line.server.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Random } from "#app/ports.ts";
import { DEMO_USERS } from "./data.ts";

/** Folder of the demo's files, relative to the working directory. Removing it resets the demo. */
const FOLDER = join("data", "demo");

const SECRET_KEY_FILE = join(FOLDER, "secret-key");
const SECRET_KEY_BYTES = 48;
const PASSWORDS_FILE = join(FOLDER, "accounts.json");
const PORT = "3000";
const APP_PORT = "3001";
const PROVIDERS_PORT = "3002";

/** Configuration keys that the demo accepts. All others are fixed, so that the demo never uses a production database. */
const ACCEPTED_KEYS = ["HOST", "LOG_LEVEL", "MFA_POLICY", "PRODUCT_NAME"] as const;

/** The environment of the demo's server, and the ports of the application and the fake providers. */
type DemoEnvironment = { env: Environment; issuer: string; appPort: number; providersPort: number };

/** Returns the environment of the demo. Throws CommandError (configuration). */
export function demoEnvironment(env: Environment): DemoEnvironment {
  const port = env["PORT"] || PORT;
  const issuer = `http://localhost:${port}`;
  const appPort = readPort("DEMO_APP_PORT", env["DEMO_APP_PORT"] || APP_PORT);
  const providersPort = readPort("DEMO_PROVIDERS_PORT", env["DEMO_PROVIDERS_PORT"] || PROVIDERS_PORT);
  const accepted = Object.fromEntries(ACCEPTED_KEYS.map((key) => [key, env[key]]));
  return {
    issuer,
    appPort,
    providersPort,
    env: {
      ...accepted,
      // The printed accounts should not be mixed with log lines.
      LOG_LEVEL: env["LOG_LEVEL"] || "warn",
      ISSUER: issuer,
      PORT: port,
      DATABASE_URL: `sqlite:${join(FOLDER, "gatehouse.sqlite")}`,
      SECRET_KEYS_FILE: SECRET_KEY_FILE,
      APP_URL: `http://localhost:${appPort}`,
      IMPRINT_URL: "https://www.example.com/imprint",
    },
  };
}

function readPort(key: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
  throw new CommandError(EXIT.configuration, [`${key} is not a port.`, "  expected: an integer from 1 to 65535"]);
}

/** Creates the demo's secret key at the first start. */
export function ensureDemoKey(random: Random): void {
  readOrCreate(SECRET_KEY_FILE, () => `${Buffer.from(random.bytes(SECRET_KEY_BYTES)).toString("base64url")}\n`);
}

/** Reads the password of each demo user; generates them at the first start. Throws CommandError. */
export function readDemoPasswords(random: Random): ReadonlyMap<string, string> {
  const text = readOrCreate(PASSWORDS_FILE, () => {
    const generated = DEMO_USERS.map(({ username }) => [username, generatePassword(random)]);
    return `${JSON.stringify(Object.fromEntries(generated), null, 2)}\n`;
  });
  const passwords = new Map(Object.entries(parsePasswords(text)));
  if (DEMO_USERS.some(({ username }) => !passwords.has(username))) throw invalidPasswordsFile();
  return passwords;
}

/** Returns the content of a private file, which is created first if it does not exist. */
function readOrCreate(file: string, create: () => string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    // The flag `wx` fails if the file exists.
    writeFileSync(file, create(), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return readFileSync(file, "utf8");
}

function parsePasswords(text: string): Record<string, string> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(text));
  } catch {
    throw invalidPasswordsFile();
  }
}

function invalidPasswordsFile(): CommandError {
  return new CommandError(EXIT.failed, [
    `The file ${PASSWORDS_FILE} is invalid.`,
    `Remove the folder ${FOLDER} to reset the demo.`,
  ]);
}

/** Characters without ambiguous ones; their counts (16, 16, 8) divide 256, so a random byte selects without bias. */
const UPPER = "ABCDEFGHKLMNPRTW";
const LOWER = "abcdefghkmnprtwx";
const DIGITS = "23456789";

/** Generates four groups such as `Kx7m` (60 random bits), which satisfy every password rule. */
function generatePassword(random: Random): string {
  const groups = Array.from({ length: 4 }, () => {
    const bytes = random.bytes(4);
    return [UPPER, LOWER, DIGITS, LOWER]
      .map((letters, index) => letters[(bytes[index] ?? 0) % letters.length])
      .join("");
  });
  return groups.join("-");
}
