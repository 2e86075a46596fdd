/** Where the data lives: one SQLite file (a relative path starts at the working directory) or a PostgreSQL server. */
export type DatabaseTarget = { dialect: "sqlite"; file: string } | { dialect: "postgres"; url: string };

/** An upstream OpenID provider that authenticates us by a client secret. */
export type UpstreamClient = { issuer: string; clientId: string; clientSecret: string };

/** Sign in with Apple, where we sign the client secret. `privateKey` is an EC P-256 key, PKCS #8 in PEM with real line breaks. */
export type AppleClient = { issuer: string; clientId: string; teamId: string; keyId: string; privateKey: string };

/** Levels of pino. */
export type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

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
  mfaPolicy: "optional" | "required";
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
  logLevel: LogLevel;
};

/** One thing to put right in the environment: a sentence `KEY wrong`, and what is expected. Never the value of a secret. */
export type ConfigMistake = { key: string; wrong: string; expected: string };
