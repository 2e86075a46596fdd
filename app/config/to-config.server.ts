import { dirname, join } from "node:path";
import type { Config, DatabaseTarget } from "./config.ts";
import type { Environment } from "./environment.server.ts";
import { toMailOauth } from "./mail-keys.server.ts";
import { isKnownToIntl } from "./plain-values.server.ts";
import { toProviderClients } from "./provider-keys.server.ts";

/** Converts the validated environment to `Config`, with the defaults that depend on other keys. */
export function toConfig(env: Environment): Config {
  const dataDir = toDataDir(env.DATABASE_URL);
  return {
    issuer: env.ISSUER,
    host: env.HOST,
    port: env.PORT,
    database: env.DATABASE_URL,
    dataDir,
    secretKeys: env.SECRET_KEYS,
    productName: env.PRODUCT_NAME,
    logo: env.LOGO_FILE ?? null,
    accent: env.ACCENT_COLOR ?? null,
    appUrl: env.APP_URL,
    startPage: env.START_PAGE,
    adminPages: env.ADMIN_PAGES === "on",
    imprintUrl: env.IMPRINT_URL,
    privacyUrl: env.PRIVACY_URL ?? null,
    termsUrl: env.TERMS_URL ?? null,
    sfdrUrl: env.SFDR_URL ?? null,
    supportContact: env.SUPPORT_CONTACT ?? null,
    defaultLanguage: env.DEFAULT_LANGUAGE,
    smtpUrl: env.SMTP_URL ?? null,
    mailOauth: toMailOauth(env),
    mailFrom: env.MAIL_FROM ?? `no-reply@${new URL(env.ISSUER).hostname}`,
    adminMail: env.ADMIN_MAIL ?? null,
    trustProxy: env.TRUST_PROXY ?? [],
    mfaPolicy: env.MFA_POLICY,
    passkeys: env.PASSKEYS === "on",
    mfaRememberDays: env.MFA_REMEMBER_DAYS,
    usernameRememberDays: env.USERNAME_REMEMBER_DAYS,
    factorResetDelayHours: env.FACTOR_RESET_DELAY_HOURS,
    profileChanges: env.PROFILE_CHANGES ?? [],
    ...toProviderClients(env),
    backupDir: env.BACKUP_DIR ?? join(dataDir, "backups"),
    backupKeep: env.BACKUP_KEEP,
    auditRetentionDays: env.AUDIT_RETENTION_DAYS,
    timeZone: env.TIME_ZONE ?? serverTimeZone(),
    metricsPort: env.METRICS_PORT ?? null,
    logLevel: env.LOG_LEVEL,
  };
}

function serverTimeZone(): string {
  // For an empty or unknown TZ, Node returns "Etc/Unknown", with which Intl throws, or undefined.
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return timeZone && isKnownToIntl(timeZone) ? timeZone : "UTC";
}

function toDataDir(database: DatabaseTarget): string {
  return database.dialect === "sqlite" ? dirname(database.file) : "data";
}
