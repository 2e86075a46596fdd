import { defineSchema } from "#app/db/schema.server.ts";
import { sqliteColumnTypes } from "./columns.server.ts";

/** The tables with SQLite's column types, one export each, as drizzle-kit requires. */
export const {
  groups,
  users,
  userRoles,
  reservedUsernames,
  helpLinks,
  groupMembers,
  externalAccounts,
  totpCredentials,
  webauthnCredentials,
  recoveryCodes,
  clients,
  clientGroups,
  clientLogos,
  signingKeys,
  oidcRecords,
  consents,
  knownBrowsers,
  rememberedDevices,
  oneTimeTokens,
  manageSessions,
  manageChains,
  auditEvents,
  rateLimits,
  mailOutbox,
  backchannelLogouts,
  instance,
} = defineSchema(sqliteColumnTypes);
