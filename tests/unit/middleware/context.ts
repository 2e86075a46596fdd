import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Config } from "#app/config/config.ts";
import type { AppContext } from "#app/context.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { createPasswordHasher } from "#app/domain/password/hash.server.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";

type Input = Pick<Config, "issuer" | "port" | "trustProxy"> & {
  folder: string;
  log: AppContext["log"];
  handle: AppContext["oidc"]["handle"];
};

const SECRET_KEY = "a key of the unit tests, 32 letters and more";

/** Creates a complete context; `handle` replaces the engine. */
export async function createStackContext({ folder, log, handle, ...some }: Input): Promise<AppContext> {
  const database = { dialect: "sqlite", file: join(folder, "edge.sqlite") } as const;
  return {
    config: { ...some, ...CONFIG, database, dataDir: folder, backupDir: folder },
    clock: { now: () => new Date() },
    random: {
      bytes: (count) => randomBytes(count),
      token: () => randomBytes(32).toString("base64url"),
    },
    log,
    store: await openStore(database),
    secrets: createSecrets({ secretKeys: [SECRET_KEY], epoch: 1 }),
    hasher: createPasswordHasher(),
    mail: { start: async () => {}, stop: async () => {} },
    logouts: { start: () => {}, stop: async () => {} },
    upstream: {
      providers: [],
      postingProviders: [],
      begin: () => Promise.reject(new Error("the middleware stack never starts a provider sign-in")),
      finish: () => Promise.reject(new Error("the middleware stack never calls a provider")),
    },
    oidc: {
      provider: () => Promise.reject(new Error("the middleware stack never uses the engine itself")),
      session: async () => null,
      handle,
    },
  };
}

const CONFIG = {
  host: "127.0.0.1",
  secretKeys: [SECRET_KEY],
  productName: "Gatehouse",
  logo: null,
  accent: null,
  appUrl: "https://app.example",
  startPage: "applications",
  adminPages: true,
  imprintUrl: "https://app.example/imprint",
  privacyUrl: null,
  termsUrl: null,
  sfdrUrl: null,
  supportContact: null,
  smtpUrl: null,
  mailOauth: null,
  mailFrom: "gatehouse@app.example",
  adminMail: null,
  mfaPolicy: "optional",
  passkeys: true,
  mfaRememberDays: 0,
  usernameRememberDays: 0,
  profileChanges: [],
  factorResetDelayHours: 24,
  google: null,
  microsoft: null,
  apple: null,
  backupKeep: 7,
  auditRetentionDays: 400,
  timeZone: "Europe/Berlin",
  defaultLanguage: "en",
  metricsPort: null,
  logLevel: "debug",
} satisfies Partial<Config>;
