import type { Language } from "#app/i18n/language.ts";
import type { Provider } from "./providers.ts";

/** A SQLite file (a relative path starts at the working directory) or a PostgreSQL server. */
export type DatabaseTarget = { dialect: "sqlite"; file: string } | { dialect: "postgres"; url: string };

/** A client of an external provider that authenticates by a fixed client secret. */
type FixedSecretClient = { issuer: string; clientId: string; clientSecret: string };

/** A client that signs its client secrets. `privateKey`: EC P-256, PKCS #8 in PEM, real line breaks. */
export type SignedSecretClient = {
  issuer: string;
  clientId: string;
  teamId: string;
  keyId: string;
  privateKey: string;
};

/** Our registration at an external provider. */
export type ProviderClient = FixedSecretClient | SignedSecretClient;

/** Our registrations by provider; null: the provider is not offered. */
export type ProviderClients = Record<Provider, ProviderClient | null>;

/** The office's logo, read and checked at start. `hash` identifies the content in URLs. */
export type Logo = { type: "image/svg+xml" | "image/png"; content: Buffer; hash: string };

/** Colours of buttons and marks, as `#rrggbb`. */
export type AccentColours = { brand: string; hover: string; onBrand: string };

/** The office's colour, for light and dark pages and mails. */
export type Accent = { light: AccentColours; dark: AccentColours };

/** The proof of the client's identity at the token endpoint; `endsAt`: the time until which it is valid. */
export type MailCredential =
  | { kind: "secret"; secret: string; endsAt: Date | null }
  /** `privateKey`: RSA, PKCS #8 in PEM. `thumbprint`: SHA-256 of the certificate, base64url (`x5t#S256`). */
  | { kind: "certificate"; privateKey: string; thumbprint: string; endsAt: Date }
  /** A key of a Google service account, which acts for the mailbox (RFC 7523 §2.1). */
  | { kind: "service account"; privateKey: string; keyId: string; endsAt: Date | null };

/** The request for the OAuth 2.0 token that authenticates `mailbox` at the mail server (XOAUTH2). */
export type MailOauth = {
  tokenUrl: string;
  scope: string;
  clientId: string;
  mailbox: string;
  credential: MailCredential;
};

/** A part of the profile that users may change in the settings; `name`: display, given and family name. */
export type ProfileChange = "email" | "phone" | "name";

/** Levels of pino. */
type LogLevel = "fatal" | "error" | "warn" | "info" | "debug" | "trace" | "silent";

/** The validated configuration. Created once by `readConfig`, never changed. */
export type Config = ProviderClients & {
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
  /** null: the product's own mark. */
  logo: Logo | null;
  /** null: the product's own green. */
  accent: Accent | null;
  appUrl: string;
  /** The page at `/` for a user with a session: the user's applications, or a redirect to the settings. */
  startPage: "applications" | "settings";
  /** False: the administration has no pages, and its addresses are unknown. */
  adminPages: boolean;
  imprintUrl: string;
  privacyUrl: string | null;
  termsUrl: string | null;
  sfdrUrl: string | null;
  supportContact: string | null;
  /** For users without a language, and for browsers that name none of ours. */
  defaultLanguage: Language;
  /** null: mails are written as .eml files into `outbox` below dataDir. */
  smtpUrl: string | null;
  /** null: the mail server is used without a token. */
  mailOauth: MailOauth | null;
  /** An address, alone or as `Name <address>`. */
  mailFrom: string;
  adminMail: string | null;
  /** Addresses and CIDR blocks of proxies whose X-Forwarded-* headers are used; empty: none. */
  trustProxy: string[];
  mfaPolicy: "optional" | "required";
  /** Passkeys are registered and accepted; false: existing ones are ignored. */
  passkeys: boolean;
  /** Days for which a browser may be remembered; 0: not offered. */
  mfaRememberDays: number;
  /** Days for which a browser shows the user name of its last sign-in; 0: not remembered. */
  usernameRememberDays: number;
  factorResetDelayHours: number;
  /** The data that users may change in the settings beside password and user name; empty: none. */
  profileChanges: ProfileChange[];
  backupDir: string;
  backupKeep: number;
  auditRetentionDays: number;
  /** IANA name, e.g. "Europe/Berlin". */
  timeZone: string;
  /** null: no metrics are served. */
  metricsPort: number | null;
  logLevel: LogLevel;
};

/** A mistake in the environment: a sentence `KEY wrong`, and the expected value. Never contains a secret. */
export type ConfigMistake = { key: string; wrong: string; expected: string };
