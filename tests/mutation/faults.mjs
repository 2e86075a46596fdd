// @ts-check

/**
 * Parts of names of test files of a vitest project. `useBuild`: the fault is visible to them only in the build: it is in
 * the pages, or they start the program.
 *
 * @typedef {{ project: "unit" | "http-sqlite" | "http-postgres" | "browser", files: readonly string[], useBuild?: boolean }} Tests
 */

/**
 * A deliberate fault: `search`, which occurs once in `file`, is replaced. `tests`: tests of `npm test` that are likely to
 * fail, the most likely ones first.
 *
 * @typedef {{
 *   area: "domain" | "oidc" | "http" | "db" | "restore" | "ui",
 *   file: string,
 *   fault: string,
 *   search: string,
 *   replace: string,
 *   tests: readonly Tests[],
 * }} Fault
 */

/** @param {string[]} files @returns {Tests} */
const unit = (...files) => ({ project: "unit", files });

/** @param {string[]} files @returns {Tests} */
const http = (...files) => ({ project: "http-sqlite", files });

/** @param {string[]} files @returns {Tests} */
const browser = (...files) => ({ project: "browser", files });

/** @param {Tests} tests @returns {Tests} */
const built = (tests) => ({ ...tests, useBuild: true });

/** @type {readonly Fault[]} */
export const FAULTS = [
  {
    area: "domain",
    file: "app/domain/totp/verify.server.ts",
    fault: "the code of the last accepted step is right again",
    search: "step <= lastStep",
    replace: "step < lastStep",
    tests: [unit("unit/domain/totp", "unit/domain/second-factor"), http("http/second-factor")],
  },
  {
    area: "domain",
    file: "app/domain/sign-in/policy.server.ts",
    fault: "the sign-in policy ignores the user's generation",
    search: `  if (input.generation !== undefined && input.generation !== user.generation) return { kind: "refused" };\n`,
    replace: "",
    tests: [unit("unit/domain/sign-in"), http("http/login", "http/oidc")],
  },
  {
    area: "domain",
    file: "app/domain/throttle/limiter.server.ts",
    fault: "every limit refuses one attempt too early",
    search: "row.points <= points",
    replace: "row.points < points",
    tests: [unit("unit/domain/throttle", "unit/domain/sign-in"), http("http/login/throttle")],
  },
  {
    area: "domain",
    file: "app/domain/second-factor/pending.server.ts",
    fault: "an mfa_token is valid in every browser",
    search: "if (token?.browserHash !== hashToken(browser)) return null;",
    replace: "if (token === null) return null;",
    tests: [unit("unit/domain/second-factor"), http("http/second-factor")],
  },
  {
    area: "domain",
    file: "app/domain/password-reset/reset.server.ts",
    fault: "a password reset does not end sessions",
    search: "  await endSessions(context, user.id);\n",
    replace: "",
    tests: [http("http/back-channel/endings"), http("http/password-reset")],
  },
  {
    area: "domain",
    file: "app/domain/sign-in/finish.server.ts",
    fault: "sign-ins are missing in the audit trail",
    search: "    await recordResult({ ...context, store: tx }, input, result);\n",
    replace: "",
    tests: [unit("unit/domain/sign-in"), http("http/log/events")],
  },
  {
    area: "domain",
    file: "app/domain/webauthn/assertion.server.ts",
    fault: "the user handle of a security key is not compared",
    search: " || !matchesUserHandle(response, credential.userId)) return null;",
    replace: ") return null;",
    tests: [unit("unit/domain/webauthn", "unit/domain/second-factor"), http("http/second-factor")],
  },
  {
    area: "domain",
    file: "app/domain/password-reset/link.server.ts",
    fault: "a reset link outlives a change of the user's generation",
    search: ` || user.generation !== token.generation) return null;`,
    replace: ") return null;",
    tests: [http("http/password-reset"), unit("unit/domain", "unit/cli")],
  },
  {
    area: "oidc",
    file: "app/oidc/lifetimes.server.ts",
    fault: "authorization codes live twice as long",
    search: "authorizationCode: 60,",
    replace: "authorizationCode: 120,",
    tests: [http("http/oidc/code", "http/oidc/stored-tokens"), http("http/oidc"), unit("unit/structure")],
  },
  {
    area: "oidc",
    file: "app/oidc/single-use.server.ts",
    fault: "the second use of a code does not revoke the grant",
    search: `    await revokeGrant(store, provider, this.grantId);\n    throw new errors.InvalidGrant("authorization code already`,
    replace: `    throw new errors.InvalidGrant("authorization code already`,
    tests: [http("http/oidc/code-replay", "http/oidc/single-use"), http("http/oidc")],
  },
  {
    area: "oidc",
    file: "app/oidc/policy.server.ts",
    fault: "a session of one factor satisfies a client that demands two",
    search: "const isMet = session.acr === ACR_MFA || !demandsMfa(params ?? {});",
    replace: "const isMet = session.acr !== undefined || !demandsMfa(params ?? {});",
    tests: [http("http/oidc/claims"), http("http/second-factor", "http/login/policy")],
  },
  {
    area: "oidc",
    file: "app/oidc/configuration.server.ts",
    fault: "a resource server sees refresh tokens of other clients as active",
    search: `return client.may_introspect === true && token.kind !== "RefreshToken";`,
    replace: `return client.may_introspect === true && token.kind !== "";`,
    tests: [http("http/oidc/introspection"), http("http/oidc")],
  },
  {
    area: "oidc",
    file: "app/oidc/configuration.server.ts",
    fault: "confidential clients do not need PKCE",
    search: "client.require_pkce !== false",
    replace: `client.clientAuthMethod === "none"`,
    tests: [http("http/oidc/pkce"), http("http/oidc")],
  },
  {
    area: "oidc",
    file: "app/oidc/seal.server.ts",
    fault: "a challenge is accepted in every browser",
    search: `sealedFor: own ? "own" : "foreign"`,
    replace: `sealedFor: own || mac !== "" ? "own" : "foreign"`,
    tests: [http("http/login/challenge"), http("http/login", "http/consent")],
  },
  {
    area: "oidc",
    file: "app/oidc/logout.server.ts",
    fault: "every logout request is confirmed without the user",
    search: "if (isOfThisSession(ctx)) state.confirmed = true;",
    replace: "if (isOfThisSession(ctx) || session) state.confirmed = true;",
    tests: [http("http/oidc/logout", "http/logout"), http("http/oidc")],
  },
  {
    area: "http",
    file: "app/http/cookies.server.ts",
    fault: "scripts can read the cookies",
    search: "httpOnly: true",
    replace: "httpOnly: false",
    tests: [unit("unit/http/cookies"), http("http/middleware/cookies")],
  },
  {
    area: "http",
    file: "app/http/xsrf.server.ts",
    fault: "anti-forgery tokens live an hour longer",
    search: "[hour, hour - 1].some",
    replace: "[hour, hour - 1, hour - 2].some",
    tests: [unit("unit/http/xsrf"), http("http/middleware/xsrf")],
  },
  {
    area: "http",
    file: "app/http/reply.server.ts",
    fault: "throttled pages have status 403",
    search: `["throttled", 429]`,
    replace: `["throttled", 403]`,
    tests: [unit("unit/http/reply"), http("http/login/throttle")],
  },
  {
    area: "http",
    file: "app/http/form.server.ts",
    fault: "a refused form contains the typed password",
    search: "/^(_xsrf|code)$|password/i",
    replace: "/^(_xsrf|code)$/i",
    tests: [unit("unit/http/form"), http("http/log/sent-secrets", "http/log/secrets")],
  },
  {
    area: "http",
    file: "app/middleware/security-headers.server.ts",
    fault: "pages may be cached",
    search: `if (!response.hasHeader("Cache-Control") && !isForAll)`,
    replace: `if (!response.hasHeader("Cache-Control") && isEngine && !isForAll)`,
    tests: [unit("unit/middleware/security-headers"), http("http/middleware/headers")],
  },
  {
    area: "http",
    file: "app/middleware/origin-check.server.ts",
    fault: "pages of the same site may post",
    search: `site === undefined || site === "same-origin" || site === "none"`,
    replace: `site === undefined || site !== "cross-site"`,
    tests: [unit("unit/middleware/origin-check"), http("http/middleware/origin")],
  },
  {
    area: "http",
    file: "app/middleware/interaction-limit.server.ts",
    fault: "one authorization request too many is open",
    search: "(acquired.get(key) ?? 0) >= points",
    replace: "(acquired.get(key) ?? 0) > points",
    tests: [unit("unit/middleware/interaction-limit"), http("http/oidc/request-limits")],
  },
  {
    area: "db",
    file: "app/db/repositories/one-time-tokens.server.ts",
    fault: "used tokens are accepted again",
    search: `    isNull(oneTimeTokens.usedAt),\n    gt(oneTimeTokens.expiresAt, sql.placeholder("now")),`,
    replace: `    gt(oneTimeTokens.expiresAt, sql.placeholder("now")),`,
    tests: [unit("unit/db/one-time-tokens"), http("http/password-reset")],
  },
  {
    area: "db",
    file: "app/db/repositories/recovery-codes.server.ts",
    fault: "recovery codes are not single-use",
    search: "eq(recoveryCodes.codeHash, codeHash), isNull(recoveryCodes.usedAt))",
    replace: "eq(recoveryCodes.codeHash, codeHash))",
    tests: [unit("unit/db/factors"), http("http/second-factor/recovery-codes")],
  },
  {
    area: "db",
    file: "app/db/repositories/webauthn-credentials.server.ts",
    fault: "a security key may repeat its counter",
    search: "use.counter === 0 ? eq(counter, 0) : lt(counter, use.counter)",
    replace: "use.counter === 0 ? eq(counter, 0) : lt(counter, use.counter + 1)",
    tests: [unit("unit/db/webauthn-credentials", "unit/domain/second-factor/verify-key"), http("http/second-factor")],
  },
  {
    area: "db",
    file: "app/db/repositories/rate-limits.server.ts",
    fault: "each attempt extends the window of a limit",
    search: "rateLimits.expiresAt} end",
    replace: "sql`excluded.expires_at`} end",
    tests: [unit("unit/db/rate-limits"), unit("unit/domain/throttle", "unit/domain/sign-in")],
  },
  {
    area: "db",
    file: "app/db/repositories/user-generation.server.ts",
    fault: "a generation is incremented from any value",
    search: `eq(users.id, userId), eq(users.generation, expected), `,
    replace: "eq(users.id, userId), ",
    tests: [unit("unit/domain/settings/sessions", "unit/domain/second-factor"), unit("unit/domain", "unit/db")],
  },
  {
    area: "db",
    file: "app/db/repositories/manage-chains.server.ts",
    fault: "a bearer token of the settings is valid for several calls",
    search: `        eq(manageChains.counter, sql.placeholder("counter")),\n`,
    replace: "",
    tests: [http("http/settings/api-chain", "http/settings/chain"), http("http/settings")],
  },
  {
    area: "restore",
    file: "app/db/repositories/restore.server.ts",
    fault: "a restore keeps sessions, codes and tokens",
    search: "[t.oidcRecords, t.oneTimeTokens,",
    replace: "[t.oneTimeTokens,",
    tests: [unit("unit/cli/restore"), built(http("http/restore/reconciliation"))],
  },
  {
    area: "restore",
    file: "app/restore/reconcile.server.ts",
    fault: "a restore does not raise the epoch",
    search: "return Math.max(instance.epoch, epochFile?.epoch ?? 0) + 1;",
    replace: "return Math.max(instance.epoch, epochFile?.epoch ?? 0);",
    tests: [unit("unit/cli/restore"), built(http("http/restore"))],
  },
  {
    area: "restore",
    file: "app/restore/reconcile.server.ts",
    fault: "used recovery codes are valid again after a restore",
    search: "  for (const { id } of actions.clearRecoveryCodes) await clearRecoveryCodes(tx, id);\n",
    replace: "",
    tests: [unit("unit/cli/restore"), built(http("http/restore/changes-since-backup"))],
  },
  {
    area: "restore",
    file: "app/restore/take-into-service.server.ts",
    fault: "an older database that was copied by hand is not detected",
    search: "const isBehind = last !== undefined && !(await hasEvent(store, last));",
    replace: "const isBehind = false;",
    tests: [unit("unit/cli/restore"), built(http("http/restore"))],
  },
  {
    area: "restore",
    file: "app/restore/plan.server.ts",
    fault: "a user whose only factor is missing in the backup is not blocked",
    search: `changes.has("factor added") && factors === 0`,
    replace: `changes.has("factor added") && factors < 0`,
    tests: [unit("unit/restore/plan"), built(http("http/restore"))],
  },
  {
    area: "restore",
    file: "app/restore/backup-file.server.ts",
    fault: "a damaged backup of the right size is accepted",
    search: "if (sha256 !== manifest.sha256)",
    replace: 'if (sha256 === "" || bytes !== manifest.bytes)',
    tests: [unit("unit/cli/restore", "unit/cli/backup"), built(http("http/restore"))],
  },
  {
    area: "ui",
    file: "app/ui/alert.tsx",
    fault: "screen readers do not announce error messages",
    search: `role={kind === "error" ? "alert" : "status"}`,
    replace: `role="status"`,
    tests: [unit("unit/routes", "unit/ui"), http("http/middleware/markup")],
  },
  {
    area: "ui",
    file: "app/ui/field.tsx",
    fault: "an error is not connected to its field",
    search: "describedBy([hint && hintId, error && fieldErrorId(id)])",
    replace: "describedBy([hint && hintId])",
    tests: [unit("unit/routes", "unit/ui"), http("http/middleware/markup")],
  },
  {
    area: "ui",
    file: "app/ui/language-link.tsx",
    fault: "the typed user name is lost with a change of the language",
    search: `  if (username) query.set("username", username);\n`,
    replace: "",
    tests: [unit("unit/ui/language-link"), built(browser("browser/language"))],
  },
  {
    area: "ui",
    file: "app/ui/error-summary.tsx",
    fault: "the links of an error summary do not lead to the fields",
    search: "<a href={`#",
    replace: "<a href={`#main-",
    tests: [unit("unit/routes", "unit/ui"), http("http/middleware/markup")],
  },
  {
    area: "ui",
    file: "app/routes/login/login-form.tsx",
    fault: "a refused sign-in form loses the user name",
    search: "          defaultValue: username,\n",
    replace: "",
    tests: [unit("unit/routes/login")],
  },
  {
    area: "ui",
    file: "app/routes/login/native.tsx",
    fault: "the sign-in form is accepted without an anti-forgery token",
    search: `if (!(await isOwnLoginForm(context, posted("_xsrf"))))`,
    replace: `if (!(await isOwnLoginForm(context, posted("_xsrf"))) && posted("_xsrf") === "none")`,
    tests: [built(http("http/middleware/xsrf", "http/login/states")), built(http("http/login", "http/middleware"))],
  },
];
