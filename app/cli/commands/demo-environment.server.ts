import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Environment } from "#app/cli/command-line.server.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Random } from "#app/ports.ts";

/** Where the demo keeps its files, from the working directory. Removing the folder starts it afresh. */
export const DEMO_FOLDER = join("data", "demo");

const SECRET_KEY_FILE = join(DEMO_FOLDER, "secret-key");
const SECRET_KEY_BYTES = 48;
const PORT = "3000";
const APP_PORT = "3001";
const PROVIDERS_PORT = "3002";

/** What people may set for the demo as for an installation. All else is fixed: a demo touches no real database. */
const PASSED_ON = ["HOST", "LOG_LEVEL", "MFA_POLICY", "PRODUCT_NAME"] as const;

/** What the demo runs with: its environment, and the ports of the application and the providers beside it. */
export type DemoEnvironment = { env: Environment; issuer: string; appPort: number; providersPort: number };

/** The environment of the demo. Throws CommandError (configuration). */
export function demoEnvironment(env: Environment): DemoEnvironment {
  const port = env["PORT"] || PORT;
  const issuer = `http://localhost:${port}`;
  const appPort = readPort("DEMO_APP_PORT", env["DEMO_APP_PORT"] || APP_PORT);
  const providersPort = readPort("DEMO_PROVIDERS_PORT", env["DEMO_PROVIDERS_PORT"] || PROVIDERS_PORT);
  const given = Object.fromEntries(PASSED_ON.map((key) => [key, env[key]]));
  return {
    issuer,
    appPort,
    providersPort,
    env: {
      ...given,
      // The accounts are to be read on the terminal, not between lines of the log.
      LOG_LEVEL: env["LOG_LEVEL"] || "warn",
      ISSUER: issuer,
      PORT: port,
      DATABASE_URL: `sqlite:${join(DEMO_FOLDER, "gatehouse.sqlite")}`,
      SECRET_KEYS_FILE: SECRET_KEY_FILE,
      APP_URL: `http://localhost:${appPort}`,
      IMPRINT_URL: "https://www.example.com/imprint",
    },
  };
}

function readPort(key: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
  throw new CommandError(EXIT.configuration, [`${key} is no port.`, "  expected: a whole number from 1 to 65535"]);
}

/** Makes the demo's secret key at the first start; later starts use the same one. */
export function ensureDemoKey(random: Random): void {
  readOrMake(SECRET_KEY_FILE, () => `${Buffer.from(random.bytes(SECRET_KEY_BYTES)).toString("base64url")}\n`);
}

/** The text of a private file, which is made first when it is missing. */
export function readOrMake(file: string, make: () => string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    // `wx` never writes over a file that is there.
    writeFileSync(file, make(), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  return readFileSync(file, "utf8");
}
