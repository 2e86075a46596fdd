import { sql } from "drizzle-orm";
import type { Provider } from "#app/config/providers.ts";
import type { ColumnTypes } from "#app/db/sqlite/columns.server.ts";
import type { SealedSecret, TokenHash } from "#app/ports.ts";

/** Postal address with the member names of OpenID Connect Core 5.1.1. */
export type Address = Partial<
  Record<"formatted" | "street_address" | "locality" | "region" | "postal_code" | "country", string>
>;
/** A blocked user cannot sign in. */
export type UserStatus = "active" | "blocked";
/** The users who may use a client: all, or the members of its groups (`client_groups`). */
export type ClientAccess = "everyone" | "groups";
/** The address and the signature with which a removed client receives its last logout tokens. */
export type RemovedClient = { backchannelLogoutUri: string; idTokenAlg: SigningAlg };
/** A second factor that is asked for first at sign-in. */
export type DefaultFactor = "totp" | "fido2";
/** Origin of a password: an administrator's command, the settings, a mailed link or an import. */
export type PasswordOrigin = "cli" | "settings" | "link" | "import";
/** Authentication of a client at the token endpoint (OpenID Connect Core §9). */
type ClientAuthMethod = "client_secret_basic" | "client_secret_post" | "client_secret_jwt" | "none";
/** Algorithms of signing keys (RFC 7518 §3.1). */
type SigningAlg = "RS256" | "ES256";
/** `next` is published before it signs; `retired` is published until its tokens are expired. */
type SigningKeyState = "next" | "current" | "retired";
/** `refused`: by a rule; `failed`: by an error. */
export type AuditOutcome = "ok" | "refused" | "failed";
/** A role permits changes of other users: an administrator makes all of them, a help desk those with which users sign in. */
export type Role = "administrator" | "help-desk";
/** The change that help permits: the removal of all second factors, or a new password. */
export type HelpKind = "new-device" | "new-password";
/** Purposes of one-time tokens. */
export type OneTimeTokenKind =
  | "mfa"
  | "totp-setup"
  | "webauthn-registration"
  | "webauthn-assertion"
  /** The spent challenge of a sign-in by passkey; stored when it was answered, as used. */
  | "webauthn-passkey"
  | "password-reset"
  | "mfa-reset"
  | "mfa-reset-stop"
  | "not-me"
  | "not-me-reset"
  | "registration"
  | "settings"
  | "settings-confirm"
  | "external-attempt"
  | "email-change"
  | "email-change-undo"
  | "account-selection"
  | "people-import";
/** A TOTP code for another time. `offset`: distance in steps of 30 s; negative if the device's clock is slow. */
export type WrongStep = { step: number; offset: number };
/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/**
 * Defines every table once; `columnTypes` supplies the column types of the database.
 * Times are Dates, ids and hashes are text, lists are JSON. `*_hash` is the SHA-256 (base64url) of a secret that is not
 * stored; `sealed_*` is a JWE encrypted with SECRET_KEYS.
 */
export function defineSchema(columnTypes: ColumnTypes) {
  const { table, text, int, bool, time, json, sequence, index, uniqueIndex, primaryKey } = columnTypes;

  const groups = table("groups", {
    id: text("id").primaryKey(),
    name: text("name").notNull().unique(),
    requireMfa: bool("require_mfa").notNull().default(false),
    /** New users become members. */
    isDefault: bool("is_default").notNull().default(false),
    description: text("description"),
    /** E-mail address or https URL of those whom members ask for access. */
    contact: text("contact"),
    createdAt: time("created_at").notNull(),
  });

  const users = table(
    "users",
    {
      id: text("id").primaryKey(),
      /** As typed, for display; comparisons use `usernameCanonical`. */
      username: text("username").notNull(),
      usernameCanonical: text("username_canonical").notNull().unique(),
      displayName: text("display_name").notNull(),
      givenName: text("given_name"),
      familyName: text("family_name"),
      /** As typed, but with an ASCII domain (`xn--…`); comparisons use `emailCanonical`. */
      email: text("email"),
      emailCanonical: text("email_canonical"),
      emailVerified: bool("email_verified").notNull().default(false),
      phone: text("phone"),
      address: json<Address>("address"),
      picture: text("picture"),
      permissions: json<string[]>("permissions")
        .notNull()
        .$defaultFn(() => []),
      locale: text("locale"),
      status: text("status").$type<UserStatus>().notNull().default("active"),
      /** Copied into every session and token; incrementing it invalidates them all. */
      generation: int("generation").notNull().default(1),
      passwordHash: text("password_hash"),
      passwordSetAt: time("password_set_at"),
      passwordSetHow: text("password_set_how").$type<PasswordOrigin>(),
      /** When this password was first used together with a second factor; null: not since it was set. */
      passwordProvenAt: time("password_proven_at"),
      /** True if a mailed link set the password and no page has shown this to the user yet. */
      passwordResetUnseen: bool("password_reset_unseen").notNull().default(false),
      /** When a mailed link set the password; of several resets that the user has not been shown, the first. */
      passwordMailedAt: time("password_mailed_at"),
      /** The second factor that the user chose to be asked for first; null: none was chosen. */
      defaultFactor: text("default_factor").$type<DefaultFactor>(),
      /** The home group: the office. Further groups are in `group_members`. */
      groupId: text("group_id").references(() => groups.id),
      /** Folded "family name given name", or the display name, by which lists are sorted (db/folded-names.ts). */
      sortName: text("sort_name").notNull().default(""),
      /** Folded names, user name and e-mail address, in which administrators search. */
      searchText: text("search_text").notNull().default(""),
      /** The last sign-in that was completed; null: none yet, or none since version 0.4. */
      lastSignedInAt: time("last_signed_in_at"),
      /** Last day of access, as YYYY-MM-DD in TIME_ZONE; the user is blocked at its end. */
      lastDay: text("last_day"),
      /** The reason for which an administrator blocked the user; never shown to the user. */
      blockReason: text("block_reason"),
      /** True if the user has an authenticator app, a security key or a passkey (repositories/has-factor.server.ts). */
      hasFactor: bool("has_factor").notNull().default(false),
      /** The offer to add a passkey is not shown before this time; null: it was not declined. */
      passkeyOfferAfter: time("passkey_offer_after"),
      createdAt: time("created_at").notNull(),
      updatedAt: time("updated_at").notNull(),
    },
    (t) => [
      index("users_email").on(t.emailCanonical),
      // These two indexes contain all columns that counts and lists of people read (decision 109).
      index("users_states").on(
        ...[t.groupId, t.status, t.hasFactor, t.passwordSetAt, t.lastSignedInAt, t.lastDay, t.id],
      ),
      index("users_list").on(
        ...[t.sortName, t.id, t.groupId, t.status, t.hasFactor, t.passwordSetAt, t.lastSignedInAt, t.lastDay],
        t.searchText,
      ),
      index("users_last_day").on(t.lastDay),
    ],
  );

  /** The roles of users who administer others; a user has at most one. */
  const userRoles = table(
    "user_roles",
    {
      userId: text("user_id")
        .primaryKey()
        .references(() => users.id, { onDelete: "cascade" }),
      role: text("role").$type<Role>().notNull(),
      /** The home group to whose members a help desk is limited; null: all users. */
      officeId: text("office_id").references(() => groups.id, { onDelete: "cascade" }),
      grantedAt: time("granted_at").notNull(),
    },
    (t) => [index("user_roles_office").on(t.officeId)],
  );

  /** User names of removed users, which no other user gets. */
  const reservedUsernames = table("reserved_usernames", {
    usernameCanonical: text("username_canonical").primaryKey(),
    /** The removed user. */
    userId: text("user_id").notNull(),
    reservedAt: time("reserved_at").notNull(),
  });

  /** Help for users who cannot sign in, by a link or six words that an administrator passes on. */
  const helpLinks = table(
    "help_links",
    {
      id: text("id").primaryKey(),
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      kind: text("kind").$type<HelpKind>().notNull(),
      /** The user's generation when the help was given; another one ends it. */
      generation: int("generation").notNull(),
      tokenHash: text("token_hash").$type<TokenHash>().notNull().unique(),
      wordsHash: text("words_hash").$type<TokenHash>().notNull(),
      /** The administrator or help desk who gave the help. */
      createdById: text("created_by_id").references(() => users.id, { onDelete: "set null" }),
      createdAt: time("created_at").notNull(),
      expiresAt: time("expires_at").notNull(),
      usedAt: time("used_at"),
      withdrawnAt: time("withdrawn_at"),
    },
    (t) => [index("help_links_user").on(t.userId, t.createdAt)],
  );

  /** The further groups of users, besides the home group in `users.group_id`. */
  const groupMembers = table(
    "group_members",
    {
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      groupId: text("group_id")
        .notNull()
        .references(() => groups.id, { onDelete: "cascade" }),
    },
    (t) => [primaryKey({ columns: [t.userId, t.groupId] }), index("group_members_group").on(t.groupId)],
  );

  const externalAccounts = table(
    "external_accounts",
    {
      id: text("id").primaryKey(),
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      provider: text("provider").$type<Provider>().notNull(),
      issuer: text("issuer").notNull(),
      subject: text("subject").notNull(),
      /** The user's group, "" for none: nulls never conflict in a unique index. */
      groupKey: text("group_key").notNull(),
      /** Account name from the provider, shown in the settings. */
      name: text("name"),
      linkedAt: time("linked_at").notNull(),
      lastUsedAt: time("last_used_at"),
    },
    (t) => [
      // An external identity may have one account per group; a user may have one identity per provider.
      uniqueIndex("external_accounts_identity").on(t.provider, t.issuer, t.subject, t.groupKey),
      uniqueIndex("external_accounts_user").on(t.userId, t.provider),
    ],
  );

  const totpCredentials = table("totp_credentials", {
    userId: text("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    sealedSecret: text("sealed_secret").$type<SealedSecret>().notNull(),
    /** The last accepted time step (30 s each since 1970); codes are single-use (RFC 6238 §5.2). */
    lastStep: int("last_step").notNull(),
    /** Recent codes for another time, which reveal the clock offset of the device; not accepted again. */
    wrongSteps: json<WrongStep[]>("wrong_steps").notNull().default([]),
    createdAt: time("created_at").notNull(),
    lastUsedAt: time("last_used_at"),
  });

  const webauthnCredentials = table(
    "webauthn_credentials",
    {
      /** The credential id, base64url. A credential belongs to one user. */
      id: text("id").primaryKey(),
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      rpId: text("rp_id").notNull(),
      name: text("name").notNull(),
      publicKeyBase64url: text("public_key").notNull(),
      /** COSE algorithm: -7, -35 or -36. */
      algorithm: int("algorithm").notNull(),
      counter: int("counter").notNull(),
      transports: json<string[]>("transports")
        .notNull()
        .$defaultFn(() => []),
      aaguid: text("aaguid"),
      attestationFormat: text("attestation_format").notNull(),
      backupEligible: bool("backup_eligible").notNull(),
      backedUp: bool("backed_up").notNull(),
      /** True for a passkey: discoverable, with user verification. False for a security key, a second factor only. */
      isPasskey: bool("is_passkey").notNull().default(false),
      /** Set when the signature counter went backwards: the key may be cloned. */
      flaggedAt: time("flagged_at"),
      createdAt: time("created_at").notNull(),
      lastUsedAt: time("last_used_at"),
    },
    (t) => [index("webauthn_credentials_user").on(t.userId)],
  );

  const recoveryCodes = table(
    "recovery_codes",
    {
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      codeHash: text("code_hash").notNull(),
      createdAt: time("created_at").notNull(),
      usedAt: time("used_at"),
    },
    (t) => [primaryKey({ columns: [t.userId, t.codeHash] })],
  );

  const clients = table("clients", {
    /** The client_id. */
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    redirectUris: json<string[]>("redirect_uris")
      .notNull()
      .$defaultFn(() => []),
    postLogoutRedirectUris: json<string[]>("post_logout_redirect_uris")
      .notNull()
      .$defaultFn(() => []),
    /** Scopes that the client may request. */
    scopes: json<string[]>("scopes")
      .notNull()
      .$defaultFn(() => []),
    firstParty: bool("first_party").notNull().default(false),
    access: text("access").$type<ClientAccess>().notNull().default("everyone"),
    /** Requires a second factor of every user. */
    requireMfa: bool("require_mfa").notNull().default(false),
    public: bool("public").notNull().default(false),
    requirePkce: bool("require_pkce").notNull().default(true),
    authMethod: text("auth_method").$type<ClientAuthMethod>().notNull(),
    idTokenAlg: text("id_token_alg").$type<SigningAlg>().notNull().default("RS256"),
    /** Shows "You are logged in as" before a live session is used. */
    confirmAccount: bool("confirm_account").notNull().default(false),
    mayOpenSettings: bool("may_open_settings").notNull().default(false),
    settingsReturnUris: json<string[]>("settings_return_uris")
      .notNull()
      .$defaultFn(() => []),
    registrationUrl: text("registration_url"),
    /** Keys of registration hints that the client may send. */
    regHints: json<string[]>("reg_hints")
      .notNull()
      .$defaultFn(() => []),
    mayIntrospect: bool("may_introspect").notNull().default(false),
    /** Allows a public client to repeat a refresh within the leeway; confidential clients always may. */
    refreshLeeway: bool("refresh_leeway").notNull().default(false),
    backchannelLogoutUri: text("backchannel_logout_uri"),
    initiateLoginUri: text("initiate_login_uri"),
    clientUri: text("client_uri"),
    policyUri: text("policy_uri"),
    /** Null: every mode that the engine supports. */
    responseModes: json<string[]>("response_modes"),
    /** Null for public clients. */
    sealedSecret: text("sealed_secret").$type<SealedSecret>(),
    createdAt: time("created_at").notNull(),
    updatedAt: time("updated_at").notNull(),
  });

  /** The groups whose members may use a client with the access "groups". */
  const clientGroups = table(
    "client_groups",
    {
      clientId: text("client_id")
        .notNull()
        .references(() => clients.id, { onDelete: "cascade" }),
      groupId: text("group_id")
        .notNull()
        .references(() => groups.id, { onDelete: "cascade" }),
    },
    (t) => [primaryKey({ columns: [t.clientId, t.groupId] }), index("client_groups_group").on(t.groupId)],
  );

  /** Logos of clients; apart from `clients`, whose rows are read by every request. */
  const clientLogos = table("client_logos", {
    clientId: text("client_id")
      .primaryKey()
      .references(() => clients.id, { onDelete: "cascade" }),
    mediaType: text("media_type").notNull(),
    contentBase64: text("content").notNull(),
    /** Start of the content's SHA-256, as of LOGO_FILE: part of the logo's URL, so that browsers may keep it. */
    contentHash: text("content_hash").notNull(),
  });

  const signingKeys = table(
    "signing_keys",
    {
      kid: text("kid").primaryKey(),
      alg: text("alg").$type<SigningAlg>().notNull(),
      state: text("state").$type<SigningKeyState>().notNull(),
      sealedJwk: text("sealed_jwk").$type<SealedSecret>().notNull(),
      createdAt: time("created_at").notNull(),
      activatedAt: time("activated_at"),
      retiredAt: time("retired_at"),
    },
    // Two processes that start on an empty database must not both create the current key.
    (t) => [uniqueIndex("signing_keys_slot").on(t.alg, t.state).where(sql`${t.state} <> 'retired'`)],
  );

  const oidcRecords = table(
    "oidc_records",
    {
      model: text("model").notNull(),
      id: text("id").notNull(),
      payload: json<JsonObject>("payload").notNull(),
      grantId: text("grant_id"),
      accountId: text("account_id"),
      clientId: text("client_id"),
      userCode: text("user_code"),
      uid: text("uid"),
      /** The row may be deleted from this time on. */
      expiresAt: time("expires_at"),
      consumedAt: time("consumed_at"),
      /** Tombstone: the record was destroyed and must not be written again; the row stays until `expiresAt`. */
      destroyedAt: time("destroyed_at"),
      /** Successor of a rotated refresh token, for a repeated request within the leeway. */
      sealedSuccessor: text("sealed_successor").$type<SealedSecret>(),
    },
    (t) => [
      primaryKey({ columns: [t.model, t.id] }),
      // Partial indexes: most of these columns are null in most rows.
      index("oidc_records_grant").on(t.grantId).where(sql`${t.grantId} is not null`),
      index("oidc_records_account").on(t.accountId).where(sql`${t.accountId} is not null`),
      index("oidc_records_uid").on(t.uid).where(sql`${t.uid} is not null`),
      index("oidc_records_user_code").on(t.userCode).where(sql`${t.userCode} is not null`),
      index("oidc_records_expiry").on(t.expiresAt).where(sql`${t.expiresAt} is not null`),
    ],
  );

  const consents = table(
    "consents",
    {
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      clientId: text("client_id")
        .notNull()
        .references(() => clients.id, { onDelete: "cascade" }),
      scopes: json<string[]>("scopes").notNull(),
      claims: json<string[]>("claims").notNull(),
      grantedAt: time("granted_at").notNull(),
    },
    (t) => [primaryKey({ columns: [t.userId, t.clientId] }), index("consents_client").on(t.clientId)],
  );

  const knownBrowsers = table(
    "known_browsers",
    {
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      browserHash: text("browser_hash").notNull(),
      firstSeenAt: time("first_seen_at").notNull(),
      lastSeenAt: time("last_seen_at").notNull(),
    },
    (t) => [primaryKey({ columns: [t.userId, t.browserHash] })],
  );

  /** Browsers in which a user skips the second step of sign-ins. */
  const rememberedDevices = table(
    "remembered_devices",
    {
      /** Identifies the row in the settings; not a secret. */
      id: text("id").primaryKey(),
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      /** Hash of the browser cookie: the device's own token is valid together with it only. */
      browserHash: text("browser_hash").notNull(),
      tokenHash: text("token_hash").$type<TokenHash>().notNull(),
      /** The user's generation when the device was remembered; the row is invalid in any other. */
      generation: int("generation").notNull(),
      userAgent: text("user_agent").notNull(),
      createdAt: time("created_at").notNull(),
      expiresAt: time("expires_at").notNull(),
    },
    (t) => [uniqueIndex("remembered_devices_browser").on(t.userId, t.browserHash)],
  );

  const oneTimeTokens = table(
    "one_time_tokens",
    {
      tokenHash: text("token_hash").$type<TokenHash>().primaryKey(),
      /** A token of one kind never works as another. */
      kind: text("kind").$type<OneTimeTokenKind>().notNull(),
      /** Subject of the token: there is at most one token per kind and slot; a newer token replaces it. */
      slot: text("slot"),
      userId: text("user_id").references(() => users.id, { onDelete: "cascade" }),
      generation: int("generation"),
      browserHash: text("browser_hash"),
      clientId: text("client_id"),
      payload: json<JsonObject>("payload").notNull(),
      createdAt: time("created_at").notNull(),
      expiresAt: time("expires_at").notNull(),
      usedAt: time("used_at"),
    },
    (t) => [
      // Nulls never conflict in a unique index.
      uniqueIndex("one_time_tokens_slot").on(t.kind, t.slot),
      index("one_time_tokens_user").on(t.userId, t.kind),
      index("one_time_tokens_expiry").on(t.expiresAt),
    ],
  );

  const manageSessions = table(
    "manage_sessions",
    {
      tokenHash: text("token_hash").primaryKey(),
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      generation: int("generation").notNull(),
      browserHash: text("browser_hash").notNull(),
      clientId: text("client_id"),
      /** Uid of the engine session that it was opened from; both end together. */
      sessionUid: text("session_uid"),
      returnToUrl: text("return_to_url"),
      /** Null if opened by an administrator's link; sensitive changes then require the password. */
      authTime: time("auth_time"),
      createdAt: time("created_at").notNull(),
      lastUsedAt: time("last_used_at").notNull(),
      expiresAt: time("expires_at").notNull(),
    },
    (t) => [
      index("manage_sessions_user").on(t.userId),
      index("manage_sessions_session").on(t.sessionUid),
      index("manage_sessions_expiry").on(t.expiresAt),
    ],
  );

  const manageChains = table(
    "manage_chains",
    {
      id: text("id").primaryKey(),
      userId: text("user_id")
        .notNull()
        .references(() => users.id, { onDelete: "cascade" }),
      generation: int("generation").notNull(),
      /** The page session that uses the chain; null for a chain opened with `t` as bearer token. */
      pageSessionHash: text("page_session_hash").references(() => manageSessions.tokenHash, { onDelete: "cascade" }),
      clientId: text("client_id"),
      sessionUid: text("session_uid"),
      returnToUrl: text("return_to_url"),
      authTime: time("auth_time"),
      /** Counter of the next valid token; advanced by one conditional UPDATE. */
      counter: int("counter").notNull(),
      createdAt: time("created_at").notNull(),
      lastUsedAt: time("last_used_at").notNull(),
      expiresAt: time("expires_at").notNull(),
    },
    (t) => [
      index("manage_chains_user").on(t.userId),
      index("manage_chains_page_session").on(t.pageSessionHash),
      index("manage_chains_session").on(t.sessionUid),
      index("manage_chains_expiry").on(t.expiresAt),
    ],
  );

  const auditEvents = table(
    "audit_events",
    {
      sequence: sequence("sequence"),
      at: time("at").notNull(),
      type: text("type").notNull(),
      // No foreign keys: events outlive the user and the client.
      userId: text("user_id"),
      clientId: text("client_id"),
      address: text("address"),
      requestId: text("request_id"),
      outcome: text("outcome").$type<AuditOutcome>().notNull(),
      detail: json<JsonObject>("detail").notNull(),
      /** The administrator or help desk who made the change; null: the user, a command (`detail.operator`) or the program. */
      actorId: text("actor_id"),
      previousHash: text("previous_hash").notNull(),
      hash: text("hash").notNull().unique(),
    },
    (t) => [
      index("audit_events_at").on(t.at),
      index("audit_events_user").on(t.userId, t.sequence),
      index("audit_events_actor").on(t.actorId, t.sequence),
    ],
  );

  const rateLimits = table(
    "rate_limits",
    {
      key: text("key").primaryKey(),
      points: int("points").notNull(),
      /** Null: never expires. */
      expiresAt: time("expires_at"),
    },
    (t) => [index("rate_limits_expiry").on(t.expiresAt)],
  );

  const mailOutbox = table(
    "mail_outbox",
    {
      id: text("id").primaryKey(),
      kind: text("kind").notNull(),
      recipient: text("recipient").notNull(),
      /** The whole message, sealed because it contains links that only the recipient may use. */
      sealedMessage: text("sealed_message").$type<SealedSecret>().notNull(),
      attempts: int("attempts").notNull().default(0),
      nextAttemptAt: time("next_attempt_at"),
      /** A sender has claimed the row until then; afterwards another sender may claim it. */
      claimedUntil: time("claimed_until"),
      sentAt: time("sent_at"),
      failedAt: time("failed_at"),
      lastError: text("last_error"),
      createdAt: time("created_at").notNull(),
    },
    (t) => [index("mail_outbox_due").on(t.nextAttemptAt)],
  );

  /** Logout requests to clients, one per client and session (OpenID Connect Back-Channel Logout 1.0). */
  const backchannelLogouts = table(
    "backchannel_logouts",
    {
      id: text("id").primaryKey(),
      /** This is no foreign key: the client may be removed before delivery. */
      clientId: text("client_id").notNull(),
      /** Set when the client is removed: the logout is delivered to it all the same. */
      removedClient: json<RemovedClient>("removed_client"),
      /** The `sub` of the logout token. Not a foreign key: the user may be removed before delivery. */
      userId: text("user_id").notNull(),
      sid: text("sid").notNull(),
      attempts: int("attempts").notNull().default(0),
      nextAttemptAt: time("next_attempt_at"),
      /** A sender has claimed the row until then; afterwards another sender may claim it. */
      claimedUntil: time("claimed_until"),
      sentAt: time("sent_at"),
      failedAt: time("failed_at"),
      lastError: text("last_error"),
      createdAt: time("created_at").notNull(),
    },
    // Each row is in one of the three indexes: it is waiting, delivered or given up.
    (t) => [
      index("backchannel_logouts_due").on(t.nextAttemptAt).where(sql`${t.nextAttemptAt} is not null`),
      index("backchannel_logouts_sent").on(t.sentAt).where(sql`${t.sentAt} is not null`),
      index("backchannel_logouts_failed").on(t.failedAt).where(sql`${t.failedAt} is not null`),
    ],
  );

  const instance = table("instance", {
    /** Always 1: the table has one row. */
    id: int("id").primaryKey(),
    /** Restore generation: incremented by a restore, which invalidates older sessions and tokens. */
    epoch: int("epoch").notNull(),
    /** Incremented with each change of the signing keys; a running server compares it. */
    keysGeneration: int("keys_generation").notNull(),
    /** Fingerprint of the newest key of SECRET_KEYS that encrypted something in this database. */
    keyFingerprint: text("key_fingerprint").notNull(),
    issuer: text("issuer").notNull(),
    rpId: text("rp_id").notNull(),
    createdAt: time("created_at").notNull(),
    /**
     * The time at which a restored database that lacks unknown changes, or affects users, was put into service; null:
     * none, or an administrator has checked it.
     */
    uncheckedRestoreAt: time("unchecked_restore_at"),
  });

  return {
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
  };
}

/** The tables with SQLite's types, on both databases. */
export type Tables = ReturnType<typeof defineSchema>;

/** A group of users: the home group of some, a further group of others. */
export type Group = Tables["groups"]["$inferSelect"];
export type NewGroup = Tables["groups"]["$inferInsert"];
/** A user account. */
export type User = Tables["users"]["$inferSelect"];
export type NewUser = Tables["users"]["$inferInsert"];
/** A registered application. */
export type Client = Tables["clients"]["$inferSelect"];
export type NewClient = Tables["clients"]["$inferInsert"];
/** The logo of a client. */
export type ClientLogo = Tables["clientLogos"]["$inferSelect"];
/** A key that signs tokens; the private part is encrypted. */
export type SigningKey = Tables["signingKeys"]["$inferSelect"];
export type NewSigningKey = Tables["signingKeys"]["$inferInsert"];
/** A record of oidc-provider: session, grant, code, token or interaction. */
export type OidcRecord = Tables["oidcRecords"]["$inferSelect"];
export type NewOidcRecord = Tables["oidcRecords"]["$inferInsert"];
/** A user's account at an external provider. */
export type ExternalAccount = Tables["externalAccounts"]["$inferSelect"];
export type NewExternalAccount = Tables["externalAccounts"]["$inferInsert"];
/** A user's authenticator app. */
export type TotpCredential = Tables["totpCredentials"]["$inferSelect"];
export type NewTotpCredential = Tables["totpCredentials"]["$inferInsert"];
/** A single-use token of a link or a step; only its hash is stored. */
export type OneTimeToken = Tables["oneTimeTokens"]["$inferSelect"];
export type NewOneTimeToken = Tables["oneTimeTokens"]["$inferInsert"];
/** A page session of the settings. */
export type ManageSession = Tables["manageSessions"]["$inferSelect"];
export type NewManageSession = Tables["manageSessions"]["$inferInsert"];
/** A chain of settings API calls with a counter. */
export type ManageChain = Tables["manageChains"]["$inferSelect"];
export type NewManageChain = Tables["manageChains"]["$inferInsert"];
/** A user's consent to the scopes of a client. */
export type Consent = Tables["consents"]["$inferSelect"];
/** A browser in which the user has signed in. */
export type KnownBrowser = Tables["knownBrowsers"]["$inferSelect"];
/** A browser in which a user skips the second step of sign-ins. */
export type RememberedDevice = Tables["rememberedDevices"]["$inferSelect"];
export type NewRememberedDevice = Tables["rememberedDevices"]["$inferInsert"];
/** An event of the audit trail. */
export type AuditEvent = Tables["auditEvents"]["$inferSelect"];
/** A counter of a rate limit. */
export type RateLimit = Tables["rateLimits"]["$inferSelect"];
/** A mail to send, or sent. */
export type OutboxMail = Tables["mailOutbox"]["$inferSelect"];
export type NewOutboxMail = Tables["mailOutbox"]["$inferInsert"];
/** A logout token to deliver to a client. */
export type BackchannelLogout = Tables["backchannelLogouts"]["$inferSelect"];
/** The single row that describes this installation. */
export type Instance = Tables["instance"]["$inferSelect"];
