import { sqliteKit } from "./kit.sqlite.server.ts";
import { defineSchema } from "./schema.server.ts";

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
} = defineSchema(sqliteKit);
