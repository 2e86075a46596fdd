import { existsSync, readFileSync } from "node:fs";
import { requireConfig } from "#app/cli/command-line.server.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import type { Config } from "#app/config/config.ts";
import { fileKey, KEYS } from "#app/config/environment.server.ts";
import { readEnvironmentFile } from "./environment-file.server.ts";
import { type Layout, secretFileOf } from "./layout.server.ts";

/** Values by configuration key. `secrets` are stored in files of their own. */
export type Settings = { env: Record<string, string>; secrets: Record<string, string> };

/** The secrets of the mail server, of which setup sets one. */
export const MAIL_SECRETS = ["SMTP_URL", "MAIL_OAUTH_CLIENT_SECRET"] as const;

/** Reads the environment file and the files of secrets of an installation. Throws CommandError (configuration). */
export function readSettings(layout: Layout): Settings {
  const names = [...KEYS].flatMap(([name, { secret }]) => (secret ? [name] : []));
  const files = [...new Set([...names, ...MAIL_SECRETS])].map((name) => [name, secretFileOf(layout, name)] as const);
  const secrets = files.flatMap(([name, file]) =>
    existsSync(file) ? [[name, readFileSync(file, "utf8").replace(/[\r\n]+$/, "")] as const] : [],
  );
  return { env: readEnvironmentFile(layout.environmentFile), secrets: Object.fromEntries(secrets) };
}

/** Returns the environment of a command. The service's user cannot read the files, so it contains the secrets. */
export function environmentOf({ env, secrets }: Settings): Record<string, string> {
  const files = Object.keys(secrets).map(fileKey);
  const others = Object.entries(env).filter(([name]) => !files.includes(name));
  return { ...Object.fromEntries(others), ...secrets };
}

/** Reads the configuration of the service as root. Throws CommandError (configuration). */
export function readServiceConfig(layout: Layout): Config {
  return requireConfig(environmentOf(readSettings(layout))).config;
}

/**
 * Returns the wanted values that are not set yet. Throws CommandError (refused) if another value is set: setup changes no
 * existing setting.
 */
export function missingIn(existing: Settings, wanted: Settings, { environmentFile }: Layout): Settings {
  const names = (key: "env" | "secrets") => Object.entries(wanted[key]);
  const existingValue = (name: string) => existing.env[name] ?? existing.secrets[name];
  const differing = [...names("env"), ...names("secrets")].filter(
    ([name, value]) => existingValue(name) !== undefined && existingValue(name) !== value,
  );
  if (differing.length > 0) {
    throw new CommandError(EXIT.refused, [
      `Nothing was changed: ${differing.map(([name]) => name).join(", ")} already has another value.`,
      `Setup changes no existing setting. Edit ${environmentFile} (a secret: its file in the same folder), then run`,
      "  gatehouse config check && systemctl restart gatehouse",
    ]);
  }
  const isMissing = ([name]: readonly [string, string]) => existingValue(name) === undefined;
  return {
    env: Object.fromEntries(names("env").filter(isMissing)),
    secrets: Object.fromEntries(names("secrets").filter(isMissing)),
  };
}
