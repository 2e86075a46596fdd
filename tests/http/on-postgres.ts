/**
 * HTTP tests that also run on PostgreSQL: those whose result can differ between the databases. All others run on SQLite
 * alone: headers, cookies, anti-forgery tokens, markup, languages, texts, redirects, refusals of forms and parameters,
 * proxies, overload, logs, and the state of pages. The unit tests of `app/db` and `app/domain` run on both databases. A
 * test of one database runs on that one alone.
 */
export const ON_POSTGRES = [
  // Simultaneous requests, which PostgreSQL executes in parallel transactions.
  "tests/http/attacks/every-change.test.ts",
  "tests/http/login/{form-again,one-request,passkey,passkey-attacks,sealed-challenge,simultaneous-responses}.test.ts",
  "tests/http/oidc/{code-replay,refresh,simultaneous-applications,single-use,two-tabs}.test.ts",
  "tests/http/settings/{api-chain,chain}.test.ts",
  "tests/http/second-factor/{ended-session,key-registration,recovery-codes,remembered-devices,set-up}.test.ts",
  "tests/http/{external/{connect,no-access,selection},factor-reset/{lost-passkey,passkeys,reset},password-reset/reset,register/calls}.test.ts",
  // Sessions, and the engine's records: storing, finding, ending and locking them.
  "tests/http/oidc/{back-channel-logout,client-changes,client-refusals,code-flow,consent,ended-sessions,grants}.test.ts",
  "tests/http/oidc/{groups-claim,introspection,keys,preview,pushed-requests,revocation,session-lifetime,stored-tokens,userinfo}.test.ts",
  "tests/http/oidc/{client-mfa,lost-access}.test.ts",
  "tests/http/login/{passkey-offer,session}.test.ts",
  "tests/http/administration/*.test.ts",
  // Repositories behind pages and calls: users, credentials, external accounts, groups, clients, lists, audit trail.
  "tests/http/{external/{mailed-password,register,sign-in},password-reset/{invitation,setup-link,verified-address},register/journey}.test.ts",
  "tests/http/settings/{api-accounts,api-security-keys,language,passkeys,lost-client,pages-lists,picture,profile,reauthentication,sign-out}.test.ts",
  "tests/http/settings-domain/effects.test.ts",
  "tests/http/groups/memberships.test.ts",
  "tests/http/front/{logo,start-page}.test.ts",
  "tests/http/log/events.test.ts",
  // Counters of throttling.
  "tests/http/login/{known-browsers,spread-guesses}.test.ts",
  // Queues that are claimed by several processes: mails and back-channel logouts.
  "tests/http/{back-channel/*,mail/{language,not-me,notices}}.test.ts",
  // Restart, crash, restore, several processes, and copies to PostgreSQL.
  "tests/http/{oidc/restart,data-copy,doctor,metrics/metrics}.test.ts",
  // Commands.
  "tests/http/cli.test.ts",
  "tests/http/{crash,restore,two-processes,upgrade}/*.test.ts",
  // Expired rows, locks, and a database that is away.
  "tests/http/{clean-up,middleware/{database-unavailable,forms-while-unavailable,locked-database}}.test.ts",
];
