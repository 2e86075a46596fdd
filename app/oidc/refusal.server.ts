import type { Client, errors, KoaContextWithOIDC } from "oidc-provider";
import { printable } from "#app/domain/base/printable.ts";
import { loggableUri, uriDifference } from "#app/domain/client/sent-uri.ts";
import { INVALID_SCOPE_PARAM } from "./allowed-scopes.server.ts";
import { fromHeader } from "./basic-credentials.ts";
import { NO_ACCESS_DESCRIPTION } from "./no-access.ts";

/** Causes of refusals that a change of the client's registration, or of the application, resolves. */
export type RefusalCause =
  | "unknown client"
  | "redirect uri"
  | "pkce"
  | "scope"
  | "offline access"
  | "response type"
  | "response mode"
  | "client secret"
  | "authentication method"
  | "access"
  | "cors"
  | "introspection";

/** The values that a refused request sent, and the solution. Fields that do not apply are omitted. */
export type Refusal = {
  cause?: RefusalCause;
  /** client_id of the request, if no client has it. */
  sentClientId?: string;
  /** redirect_uri of the request, without query. */
  redirectUri?: string;
  /** Scopes that do not exist or are not registered for the client, separated by spaces. */
  refusedScopes?: string;
  /** Instruction for the administrator. */
  fix?: string;
};

type EngineError = errors.OIDCProviderError;

/** A refused request with its client; null if no client has the client_id. */
type Refused = { ctx: KoaContextWithOIDC; error: EngineError; client: Client | null };

type Rule = { cause: RefusalCause; matches: (error: EngineError) => boolean; fix: (refused: Refused) => string };

/** Instruction for missing or wrong PKCE. */
export const SEND_PKCE =
  "send code_challenge, the S256 hash of a random code_verifier, with code_challenge_method=S256, " +
  "and code_verifier in the token request (RFC 7636)";

/** The rules in the order of their application; oidc-provider distinguishes some refusals by their text only. */
const RULES: readonly Rule[] = [
  {
    cause: "unknown client",
    matches: (error) => error.error_detail === "client not found",
    fix: () =>
      "Correct client_id in the application; gatehouse client list shows all. Or register it: client add --id.",
  },
  {
    cause: "redirect uri",
    matches: (error) => error.error === "invalid_redirect_uri" || /redirect_uri mismatch/.test(textOf(error)),
    fix: fixRedirectUri,
  },
  {
    cause: "pkce",
    matches: (error) => /PKCE|code_challenge|code_verifier/.test(textOf(error)),
    fix: ({ client }) => `In the application, ${SEND_PKCE}.${exemption(client)}`,
  },
  {
    cause: "scope",
    matches: (error) => error.error === "invalid_scope",
    fix: ({ client }) => scopeFix(client),
  },
  {
    cause: "response type",
    matches: (error) => error.error === "unsupported_response_type" || /response_type is not/.test(textOf(error)),
    fix: ({ client }) =>
      client?.redirectUris?.length === 0
        ? `The client only introspects tokens. To sign users in: ${set(client)} --redirect-uri URI`
        : "In the application, use the authorization code flow: response_type=code.",
  },
  {
    cause: "response mode",
    matches: (error) => /response_mode/.test(textOf(error)),
    fix: ({ client }) => `Use a response mode of the client, or allow it: ${set(client)} --response-mode MODE`,
  },
  {
    cause: "client secret",
    matches: (error) => error.error_detail === "invalid secret provided",
    fix: ({ client }) =>
      `Correct the client secret in the application, or create a new one: gatehouse client rotate-secret ${client?.clientId}`,
  },
  {
    cause: "authentication method",
    matches: (error) => /authentication mechanism does not match/.test(textOf(error)),
    fix: ({ client }) =>
      `The client is registered with ${client?.clientAuthMethod}. Configure it in the application, or change it: ` +
      `${set(client)} --auth-method METHOD`,
  },
  {
    cause: "access",
    matches: (error) => error.error === "access_denied" && textOf(error) === NO_ACCESS_DESCRIPTION,
    fix: ({ client }) =>
      "The client is open to groups, and the user is in none of them. Add the user to one (gatehouse client show " +
      `${client?.clientId ?? "ID"} lists them), or open the client: ${set(client)} --allow-group NAME`,
  },
  { cause: "cors", matches: (error) => /^origin .* not allowed/.test(textOf(error)), fix: fixCors },
];

/** Returns what a refused request sent, cleaned for the log, and the cause if it is one that can be resolved. */
export function describeRefusal(ctx: KoaContextWithOIDC, error: EngineError): Refusal {
  const client = ctx.oidc?.client ?? null;
  const { redirect_uri: redirectUri, [INVALID_SCOPE_PARAM]: scopes } = parametersOf(ctx);
  const clientId = client === null ? sentClientId(ctx) : null;
  const rule = RULES.find(({ matches }) => matches(error));
  return {
    ...(rule ? { cause: rule.cause } : {}),
    ...(isText(clientId) ? { sentClientId: loggableClientId(clientId) } : {}),
    ...(isText(redirectUri) ? { redirectUri: loggableUri(redirectUri) } : {}),
    ...(isText(scopes) ? { refusedScopes: printable(scopes, MAX_SCOPES_LENGTH) } : {}),
    ...(rule ? { fix: rule.fix({ ctx, error, client }) } : {}),
  };
}

/** Maximum length of the scopes in a log line, in code points. */
const MAX_SCOPES_LENGTH = 200;

/** Describes a request with scopes that are not allowed for its client. */
export function describeRefusedScopes(ctx: KoaContextWithOIDC): Refusal {
  const { client = null, params } = ctx.oidc;
  const refusedScopes = printable(String(params?.[INVALID_SCOPE_PARAM]), MAX_SCOPES_LENGTH);
  return { cause: "scope", refusedScopes, fix: scopeFix(client) };
}

/** Describes a request whose `offline_access` was dropped (OpenID Connect Core 1.0 §11). */
export function describeDroppedOfflineAccess(): Refusal {
  const fix =
    "No refresh token is issued: offline_access needs prompt=consent. Send it, or request the scope offline instead.";
  return { cause: "offline access", refusedScopes: "offline_access", fix };
}

/** Describes a live token of another client that an introspecting client got as inactive. */
export function describeWithheldToken(ctx: KoaContextWithOIDC, token: { kind: string }): Refusal {
  const fix =
    token.kind === "RefreshToken"
      ? "A refresh token is active only for the client that it was issued to. Send the access token."
      : `The token was issued to another client. If this client is a resource server: ${set(ctx.oidc.client ?? null)} --may-introspect`;
  return { cause: "introspection", fix };
}

/** Returns the start of the command that changes a client. Never contains text of the request. */
function set(client: Client | null): string {
  return `gatehouse client set ${client?.clientId ?? "ID"}`;
}

function scopeFix(client: Client | null): string {
  return (
    "Do not request these scopes, or register all scopes of the client, which replaces the previous ones: " +
    `${set(client)} --scope openid --scope …`
  );
}

/** The URI of the request is not part of the command: anybody can send one, and it would be registered by pasting. */
function fixRedirectUri({ ctx, client }: Refused): string {
  const sent = parametersOf(ctx).redirect_uri;
  const registered = client?.redirectUris ?? [];
  const difference = isText(sent) ? uriDifference(sent, registered) : null;
  return [
    ...(difference === null ? [] : [`The sent URI differs in: ${difference}.`]),
    `Registered: ${registered.slice(0, MAX_LISTED).join(" ") || "none"}.`,
    "Correct the application, or, if the sent URI is its own, register all its URIs, which replaces the previous ones:",
    `${set(client)} --redirect-uri URI`,
  ].join(" ");
}

const MAX_LISTED = 5;

function fixCors({ client }: Refused): string {
  const origins = "a script gets responses only at the origin of a redirect URI of the client";
  if (client?.clientAuthMethod === "none") return `In the browser, ${origins}: ${set(client)} --redirect-uri URI`;
  return (
    "The client has a secret, which a script in a browser cannot keep. Register the browser application as a client " +
    `without one (gatehouse client add --public); ${origins}.`
  );
}

/** Public clients cannot be exempted (RFC 9700 §2.1.1). */
function exemption(client: Client | null): string {
  if (client === null || client.clientAuthMethod === "none" || client.require_pkce === false) return "";
  return ` If it does not support PKCE: ${set(client)} --no-pkce`;
}

/** Returns the client_id of a request, also that of its `Authorization` header. */
function sentClientId(ctx: KoaContextWithOIDC): unknown {
  return parametersOf(ctx).client_id ?? fromHeader(ctx.get("authorization"))?.id;
}

/** A client secret that was configured as client_id must not be logged; both have the same characters. */
function loggableClientId(clientId: string): string {
  return /^[\w-]{43}$/.test(clientId) ? "(has the form of a client secret)" : printable(clientId);
}

function textOf(error: EngineError): string {
  return error.error_detail ?? error.error_description ?? "";
}

/** Parameters of the request; those of oidc-provider are missing if it was refused before they were read. */
function parametersOf(ctx: KoaContextWithOIDC): Record<string, unknown> {
  const { params, body } = ctx.oidc ?? {};
  return { ...(params ?? (ctx.method === "POST" ? body : ctx.query)) };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
