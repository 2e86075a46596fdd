import { z } from "zod";
import { DomainError } from "#app/domain/base/errors.ts";
import { lineSchema } from "#app/domain/base/line-schema.ts";
import { parseInput } from "#app/domain/base/parse-input.ts";
import { printable } from "#app/domain/base/printable.ts";
import { findScope } from "#app/domain/scope/scopes.ts";
import { hintKeySchema } from "./hints.ts";
import { isWebUri, mayRegisterUri } from "./redirect-uri.ts";

/** Default scopes of a new client. */
export const DEFAULT_SCOPES = ["openid", "profile", "email"];

/** Response modes (OAuth 2.0 Multiple Response Type Encoding Practices §2.1, Form Post Response Mode). */
export const RESPONSE_MODES = ["query", "fragment", "form_post"] as const;

const webUriSchema = z
  .string()
  .refine(isWebUri, { message: "must be an https URL, or http on this machine" })
  .nullable()
  .default(null);

/** Maximum number of registration hint keys of a client. */
const MAX_DECLARED_HINTS = 50;

/**
 * A new client (OpenID Connect Dynamic Registration 1.0 §2). `id` null: generated; `responseModes` null: all; `groups`: the
 * names of the groups whose members may use it, with the access "groups".
 */
export const newClientSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
    .nullable()
    .default(null),
  name: lineSchema(100),
  redirectUris: z.array(z.string()).default([]),
  postLogoutRedirectUris: z.array(z.string()).default([]),
  scopes: z.array(z.string()).default(DEFAULT_SCOPES),
  firstParty: z.boolean().default(false),
  access: z.enum(["everyone", "groups"]).default("everyone"),
  groups: z.array(z.string()).default([]),
  requireMfa: z.boolean().default(false),
  public: z.boolean().default(false),
  requirePkce: z.boolean().default(true),
  authMethod: z.enum(["client_secret_basic", "client_secret_post", "client_secret_jwt"]).nullable().default(null),
  idTokenAlg: z.enum(["RS256", "ES256"]).default("RS256"),
  responseModes: z.array(z.enum(RESPONSE_MODES)).min(1).nullable().default(null),
  confirmAccount: z.boolean().default(false),
  registrationUrl: webUriSchema,
  regHints: z.array(hintKeySchema).max(MAX_DECLARED_HINTS).default([]),
  mayOpenSettings: z.boolean().default(false),
  settingsReturnUris: z.array(z.string().refine(isWebUri)).default([]),
  mayIntrospect: z.boolean().default(false),
  refreshLeeway: z.boolean().default(false),
  backchannelLogoutUri: webUriSchema,
  initiateLoginUri: webUriSchema,
  clientUri: webUriSchema,
  policyUri: webUriSchema,
});

/** Input of `parseNewClient`, before defaults are applied. */
export type NewClientInput = z.input<typeof newClientSchema>;

/** A validated new client, with defaults. */
type ParsedClient = z.output<typeof newClientSchema>;

/** Parses a new client. Throws DomainError "client is invalid", "redirect uri is invalid", "scope is unknown". */
export function parseNewClient(input: NewClientInput): ParsedClient {
  const client = parseInput(newClientSchema, input, "client is invalid");
  requireRedirectUri(client);
  requireValidUris(client);
  const unknown = client.scopes.find((id) => findScope(id) === null);
  if (unknown !== undefined) throw new DomainError("scope is unknown", { detail: printable(unknown) });
  if (client.public) requirePublicClientRules(client);
  if (client.refreshLeeway && !client.public) {
    throw new DomainError("client is invalid", {
      detail: "refreshLeeway: only for public clients; confidential clients always have it",
    });
  }
  requireRegistrationRules(client);
  requireSettingsRules(client);
  if (client.access === "everyone" && client.groups.length > 0) {
    throw new DomainError("client is invalid", { detail: "allowGroups: the client is open to everyone" });
  }
  return { ...client, groups: [...new Set(client.groups)], regHints: [...new Set(client.regHints)] };
}

/** A resource server that introspects tokens signs no users in. */
function requireRedirectUri({ redirectUris, mayIntrospect }: ParsedClient): void {
  if (redirectUris.length > 0 || mayIntrospect) return;
  throw new DomainError("client is invalid", { detail: "redirectUris: required unless the client has mayIntrospect" });
}

function requireValidUris(client: ParsedClient): void {
  const uris = [...client.redirectUris, ...client.postLogoutRedirectUris];
  const wrong = uris.find((uri) => !mayRegisterUri(client, uri));
  if (wrong !== undefined) throw new DomainError("redirect uri is invalid", { detail: printable(wrong) });
}

/** Rejects settings that need a client secret, and a missing PKCE requirement (RFC 9700 §2.1.1). */
function requirePublicClientRules({ requirePkce, authMethod, mayIntrospect }: ParsedClient): void {
  const problems = [
    requirePkce ? null : "needs PKCE",
    authMethod ? "has no authentication method" : null,
    mayIntrospect ? "may not introspect" : null,
  ].filter((reason) => reason !== null);
  if (problems.length > 0) {
    throw new DomainError("client is invalid", { detail: `a public client ${problems.join(", ")}` });
  }
}

/** The registration calls authenticate with the client secret; hints need a registration URL. */
function requireRegistrationRules({ registrationUrl, regHints, authMethod, public: isPublic }: ParsedClient): void {
  if (registrationUrl === null && regHints.length > 0) {
    throw new DomainError("client is invalid", { detail: "regHints: require a registration URL" });
  }
  if (registrationUrl !== null && (isPublic || authMethod === "client_secret_jwt")) {
    const detail = "registrationUrl: requires client_secret_basic or client_secret_post";
    throw new DomainError("client is invalid", { detail });
  }
}

/** The call that opens the settings authenticates with the client secret; return URIs need `mayOpenSettings`. */
function requireSettingsRules({
  mayOpenSettings,
  settingsReturnUris,
  authMethod,
  public: isPublic,
}: ParsedClient): void {
  if (!mayOpenSettings && settingsReturnUris.length > 0) {
    throw new DomainError("client is invalid", { detail: "settingsReturnUris: require mayOpenSettings" });
  }
  if (mayOpenSettings && (isPublic || authMethod === "client_secret_jwt")) {
    const detail = "mayOpenSettings: requires client_secret_basic or client_secret_post";
    throw new DomainError("client is invalid", { detail });
  }
}
