import type { z } from "zod";
import { type Environment, environmentSchema, fileKey, KEYS, mistakeAt } from "./environment.server.ts";
import { findLookAlikes } from "./suggestions.server.ts";
import { readSources, type Sources } from "./sources.server.ts";
import { toConfig } from "./to-config.server.ts";
import { judgeTogether, warnTogether } from "./together.server.ts";

/** Where the data lives: one SQLite file (a relative path starts at the working directory) or a PostgreSQL server. */
export type DatabaseTarget = { dialect: "sqlite"; file: string } | { dialect: "postgres"; url: string };

/** An upstream OpenID provider that authenticates us by a client secret. */
export type UpstreamClient = { issuer: string; clientId: string; clientSecret: string };

/** Sign in with Apple, where we sign the client secret. `privateKey` is an EC P-256 key, PKCS #8 in PEM with real line breaks. */
export type AppleClient = { issuer: string; clientId: string; teamId: string; keyId: string; privateKey: string };

/** Everything the environment decides, checked. Made once by readConfig, never changed. */
export type Config = {
  /** Origin only: scheme, host, port if not the scheme's own; no trailing slash. */
  issuer: string;
  host: string;
  port: number;
  database: DatabaseTarget;
  /** Folder of the installation's other files: that of the SQLite file, `data` with PostgreSQL. */
  dataDir: string;
  /** Newest first, each at least 32 characters. */
  secretKeys: string[];
  productName: string;
  appUrl: string;
  imprintUrl: string;
  privacyUrl: string | null;
  termsUrl: string | null;
  sfdrUrl: string | null;
  supportContact: string | null;
  /** null: mails are written as .eml files into `outbox` below dataDir. */
  smtpUrl: string | null;
  /** An address, alone or as `Name <address>`. */
  mailFrom: string;
  adminMail: string | null;
  /** Addresses and CIDR blocks whose X-Forwarded-* headers count; empty: none. */
  trustProxy: string[];
  mfaPolicy: Environment["MFA_POLICY"];
  factorResetDelayHours: number;
  google: UpstreamClient | null;
  microsoft: UpstreamClient | null;
  apple: AppleClient | null;
  backupDir: string;
  backupKeep: number;
  auditRetentionDays: number;
  /** IANA name, e.g. "Europe/Berlin". */
  timeZone: string;
  /** null: no figures are served. */
  metricsPort: number | null;
  logLevel: Environment["LOG_LEVEL"];
};

/** One thing to put right in the environment: a sentence `KEY wrong`, and what is expected. Never the value of a secret. */
export type ConfigMistake = { key: string; wrong: string; expected: string };

/** The whole configuration, or every mistake at once. Warnings are of what works, but hardly as it was meant. */
export type ReadConfig =
  | { ok: true; config: Config; warnings: ConfigMistake[] }
  | { ok: false; mistakes: ConfigMistake[]; warnings: ConfigMistake[] };

/**
 * Reads the configuration from the environment and from the files that it names. All mistakes are reported at once, in
 * the order of docs/configuration.md, so that one start shows everything there is to put right.
 */
export function readConfig(env: Record<string, string | undefined>): ReadConfig {
  const sources = readSources(env);
  const texts = Object.fromEntries([...sources.texts].map(([name, { text }]) => [name, text]));
  const parsed = environmentSchema.safeParse(texts);
  const mistakes = [...sources.mistakes, ...toMistakes(parsed.error, sources), ...judgeTogether(sources)];
  const lookAlikes = findLookAlikes(env);
  if (!parsed.success || mistakes.length > 0) {
    return { ok: false, mistakes: inOrder(mistakes), warnings: lookAlikes };
  }
  return { ok: true, config: toConfig(parsed.data), warnings: [...warnTogether(sources, parsed.data), ...lookAlikes] };
}

function toMistakes(error: z.ZodError | undefined, sources: Sources): ConfigMistake[] {
  const issues = error?.issues.map((issue) => ({ name: String(issue.path[0]), wrong: issue.message })) ?? [];
  return issues
    .filter(({ name }) => !sources.mistakes.some(({ key }) => key === name || key === fileKey(name)))
    .map(({ name, wrong }) => mistakeAt(name, sources.texts.has(name) ? wrong : "is not set"));
}

function inOrder(mistakes: ConfigMistake[]): ConfigMistake[] {
  const order = [...KEYS.keys()].flatMap((name) => [name, fileKey(name)]);
  return mistakes.toSorted((a, b) => order.indexOf(a.key) - order.indexOf(b.key));
}
