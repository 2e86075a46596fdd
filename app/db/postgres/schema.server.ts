import { defineSchema } from "#app/db/schema.server.ts";
import { postgresColumnTypesAsSqlite } from "./columns.server.ts";

/** The tables with PostgreSQL's column types, one export each, as drizzle-kit requires. */
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
} = defineSchema(postgresColumnTypesAsSqlite);
