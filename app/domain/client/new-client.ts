import { z } from "zod";
import { DomainError } from "#app/domain/errors.ts";
import { lineSchema } from "#app/domain/line-schema.ts";
import { parseInput } from "#app/domain/parse-input.ts";
import { printable } from "#app/domain/printable.ts";
import { hintKeySchema } from "#app/domain/registration/hints.ts";
import { findScope } from "#app/domain/scope/scopes.ts";
import { isWebUri, redirectUriKind } from "./redirect-uri.ts";

/** Scopes of a client for which none are named. */
export const DEFAULT_SCOPES = ["openid", "profile", "email"];

/** The ways in which an answer can reach an application (OAuth 2.0 Multiple Response Types section 2.1, Form Post). */
export const RESPONSE_MODES = ["query", "fragment", "form_post"] as const;

const webUriSchema = z
  .string()
  .refine(isWebUri, { message: "is neither an https address nor http on this machine" })
  .nullable()
  .default(null);

/** Keys of registration hints that one client may declare. */
const MAX_DECLARED_HINTS = 50;

/** A new client (OpenID Connect Dynamic Client Registration 1.0 section 2). `id` null: one is made; `responseModes` null: any. */
export const newClientSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
    .nullable()
    .default(null),
  name: lineSchema(100),
  redirectUris: z.array(z.string()).min(1),
  postLogoutRedirectUris: z.array(z.string()).default([]),
  scopes: z.array(z.string()).default(DEFAULT_SCOPES),
  firstParty: z.boolean().default(false),
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

export type NewClientInput = z.input<typeof newClientSchema>;

export type ParsedClient = z.output<typeof newClientSchema>;

/** Reads a new client. Throws DomainError "client is invalid", "redirect uri is invalid", "scope is unknown". */
export function parseNewClient(input: NewClientInput): ParsedClient {
  const client = parseInput(newClientSchema, input, "client is invalid");
  refuseUris(client);
  const unknown = client.scopes.find((id) => findScope(id) === null);
  if (unknown !== undefined) throw new DomainError("scope is unknown", { detail: printable(unknown) });
  if (client.public) refuseForPublic(client);
  if (client.refreshLeeway && !client.public) {
    throw new DomainError("client is invalid", { detail: "refreshLeeway: is for public clients; all others have it" });
  }
  refuseRegistration(client);
  refuseSettings(client);
  return { ...client, regHints: [...new Set(client.regHints)] };
}

function refuseUris(client: ParsedClient): void {
  const isNative = client.public && client.redirectUris.every((uri) => redirectUriKind(uri) !== "web");
  for (const uri of [...client.redirectUris, ...client.postLogoutRedirectUris]) {
    const kind = redirectUriKind(uri);
    // A scheme belongs to whoever installs it: only an application that keeps no secret, and is nothing else, may use one.
    if (kind === null || (kind === "private-use" && !isNative)) {
      throw new DomainError("redirect uri is invalid", { detail: printable(uri) });
    }
  }
}

/** A client without a secret cannot do what rests on one (RFC 9700 section 2.1.1). */
function refuseForPublic({ requirePkce, authMethod, mayIntrospect }: ParsedClient): void {
  const wrong = [
    requirePkce ? null : "needs PKCE",
    authMethod ? "has no authentication method" : null,
    mayIntrospect ? "may not introspect" : null,
  ].filter((reason) => reason !== null);
  if (wrong.length > 0) throw new DomainError("client is invalid", { detail: `a public client ${wrong.join(", ")}` });
}

/** An application that registers people calls with its secret; hints are for such an application alone. */
function refuseRegistration({ registrationUrl, regHints, authMethod, public: isPublic }: ParsedClient): void {
  if (registrationUrl === null && regHints.length > 0) {
    throw new DomainError("client is invalid", { detail: "regHints: need a registration URL" });
  }
  if (registrationUrl !== null && (isPublic || authMethod === "client_secret_jwt")) {
    const detail = "registrationUrl: is for clients with client_secret_basic or client_secret_post";
    throw new DomainError("client is invalid", { detail });
  }
}

/** An application that opens people's settings calls with its secret; only such a one is returned to from there. */
function refuseSettings({ mayOpenSettings, settingsReturnUris, authMethod, public: isPublic }: ParsedClient): void {
  if (!mayOpenSettings && settingsReturnUris.length > 0) {
    throw new DomainError("client is invalid", { detail: "settingsReturnUris: need mayOpenSettings" });
  }
  if (mayOpenSettings && (isPublic || authMethod === "client_secret_jwt")) {
    const detail = "mayOpenSettings: is for clients with client_secret_basic or client_secret_post";
    throw new DomainError("client is invalid", { detail });
  }
}
