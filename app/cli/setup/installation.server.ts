import { requireConfig } from "#app/cli/command-line.server.ts";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { systemRandom } from "#app/context.server.ts";
import type { Answers } from "./answers.server.ts";
import type { Layout } from "./layout.server.ts";
import { type ProxyFile, writeProxyFile } from "./proxy-file.server.ts";
import type { ServiceUser } from "./service-user.server.ts";
import { environmentOf, MAIL_SECRETS, missingIn, type Settings } from "./settings.server.ts";
import { ensureSecretKey, prepareFolders, writeEnvironmentFile, writeMailSecret } from "./write.server.ts";

const PORT_DEFAULT = "3000";

/** In place of the secret key that does not exist yet, for the check of the other keys. */
const PLACEHOLDER = "abcdefghijklmnopqrstuvwxyz0123456789";

/** The places of the files, and the settings that exist. */
type Target = { layout: Layout; user: ServiceUser; existing: Settings };

/** The written installation. `isChanged`: a key was added. `proxyFile` is null with a proxy of the administrator's own. */
export type Installation = { settings: Settings; proxyFile: ProxyFile | null; isChanged: boolean };

/**
 * Writes all files that are missing, after the whole configuration was checked. The environment file is the last one: it
 * shows that all answers are stored. Throws CommandError: configuration; refused if another value is set.
 */
export function writeInstallation({ layout, user, ...target }: Target, answers: Answers): Installation {
  const existing = answers.isFirst ? withoutMailSecrets(target.existing) : target.existing;
  const added = missingIn(existing, answers.settings, layout);
  const env = { ...defaultsFor(answers, layout, existing), ...existing.env, ...added.env };
  const secrets = { ...existing.secrets, ...added.secrets };
  requireConfig(environmentOf({ env, secrets: { SECRET_KEYS: PLACEHOLDER, ...secrets } }));
  const addresses = { issuer: env["ISSUER"] ?? "", port: env["PORT"] ?? PORT_DEFAULT };
  requireProxyAddress(addresses.issuer, answers);
  prepareFolders(layout, user);
  const SECRET_KEYS = ensureSecretKey(layout, systemRandom);
  writeMailSecret(layout, added.secrets, { replaces: answers.isFirst });
  const proxyFile = answers.proxy === "own" ? null : writeProxyFile(layout, answers.proxy, addresses);
  const addedKeys = Object.entries(env).filter(([name]) => existing.env[name] === undefined);
  writeEnvironmentFile(layout, Object.fromEntries(addedKeys));
  const isChanged = addedKeys.length + Object.keys(added.secrets).length > 0;
  return { settings: { env, secrets: { ...secrets, SECRET_KEYS } }, proxyFile, isChanged };
}

/** Ignores the secret that a setup has left which ended before it wrote the environment file. */
function withoutMailSecrets({ env, secrets }: Settings): Settings {
  const others = Object.entries(secrets).filter(([name]) => !MAIL_SECRETS.some((key) => key === name));
  return { env, secrets: Object.fromEntries(others) };
}

/** Returns the keys that setup does not ask for and that are not set. Only a first setup adds them. */
function defaultsFor({ settings, administrator, isFirst }: Answers, layout: Layout, existing: Settings) {
  if (!isFirst) return {};
  const issuer = settings.env["ISSUER"] ?? "";
  const defaults = {
    ISSUER: issuer,
    TRUST_PROXY: "127.0.0.1",
    DATABASE_URL: `sqlite:${layout.dataFolder}/gatehouse.sqlite`,
    BACKUP_DIR: layout.backupFolder,
    APP_URL: `${issuer}/manage/open`,
    ...(administrator ? { ADMIN_MAIL: administrator.email } : {}),
  };
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => existing.secrets[name] === undefined));
}

/** Characters of a host name that a proxy's file can contain without quotes. */
const PLAIN_HOST = /^[a-z0-9.-]+$/;

function requireProxyAddress(issuer: string, { proxy }: Answers): void {
  const { protocol, hostname } = new URL(issuer);
  if (proxy === "own" || (protocol === "https:" && PLAIN_HOST.test(hostname))) return;
  throw new CommandError(EXIT.usage, [
    `Nothing was changed: ${proxy} is not configured for the address ${issuer}.`,
    "Use an https address with a host name of letters, digits, dots and hyphens, or --proxy own.",
  ]);
}
