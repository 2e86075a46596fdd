import { defineSchema } from "#app/db/schema.server.ts";
import { postgresKitAsSqlite } from "./columns.server.ts";

/** The tables in this database's words, one export each, as drizzle-kit reads them. */
export const {
  groups,
  users,
  externalAccounts,
  totpCredentials,
  webauthnCredentials,
  recoveryCodes,
  clients,
  signingKeys,
  oidcRecords,
  consents,
  knownBrowsers,
  oneTimeTokens,
  manageSessions,
  manageChains,
  auditEvents,
  rateLimits,
  mailOutbox,
  backchannelLogouts,
  instance,
} = defineSchema(postgresKitAsSqlite);
