import { z } from "zod";
import { PROVIDERS } from "#app/config/providers.ts";
import { browserCookie } from "#app/http/cookies.server.ts";
import type { PageCode } from "#app/http/refusal.server.ts";
import { type DocumentedCall, NO_PAYLOAD, type RefusalStatus } from "#app/routes/api/documented-call.ts";
import { OPENING_CALL } from "#app/routes/api/open-settings.server.ts";
import { REGISTRATION_API, REGISTRATION_CALLS } from "#app/routes/api/registration-calls.server.ts";
import { SECOND_FACTOR_API, SECOND_FACTOR_CALLS } from "#app/routes/api/second-factor-calls.server.ts";
import { SETTINGS_API, SETTINGS_CALLS, type SettingsCall } from "#app/routes/api/settings-calls.server.ts";

const ISSUER = "https://login.example.com";

/** Describes the JSON calls in OpenAPI 3.1. https://spec.openapis.org/oas/v3.1.0 */
export function describeApi() {
  const settings = describePaths(SETTINGS_API, Object.entries(SETTINGS_CALLS), describeSettingsCall);
  const step = describePaths(SECOND_FACTOR_API, Object.entries(SECOND_FACTOR_CALLS), describeStepCall);
  const registration = describePaths(REGISTRATION_API, Object.entries(REGISTRATION_CALLS), describeRegistrationCall);
  return {
    openapi: "3.1.0",
    info: { title: "Gatehouse: JSON calls", version: "1", description: DESCRIPTION },
    servers: [{ url: "{issuer}", variables: { issuer: { default: ISSUER, description: "URL of Gatehouse" } } }],
    tags: [
      { name: SETTINGS, description: SETTINGS_DESCRIPTION },
      { name: SECOND_FACTOR, description: SECOND_FACTOR_DESCRIPTION },
      { name: REGISTRATION, description: REGISTRATION_DESCRIPTION },
    ],
    paths: { [`${SETTINGS_API}/token`]: { post: describeOpening() }, ...settings, ...step, ...registration },
    components: {
      securitySchemes: {
        chain: { type: "http", scheme: "bearer", description: "Single-use; every response contains the next one" },
        client: { type: "http", scheme: "basic", description: "client_id and client_secret, as at /oauth2/token" },
        mfaToken: {
          type: "http",
          scheme: "bearer",
          description:
            "The mfa_token of the page /mfa/verify or /mfa/setup, or the `token` of the last successful call. It is bound to " +
            "the browser and to the sign-in, and valid for 10 minutes.",
        },
        xsrf: { type: "apiKey", in: "header", name: "X-XSRF-Token", description: "The field `_xsrf` of the same page" },
        browser: {
          type: "apiKey",
          in: "cookie",
          name: browserCookie.name({ issuer: ISSUER }),
          description: "Identifies the browser; Gatehouse's pages set it. Without https its name has no `__Host-`.",
        },
      },
      headers: {
        NextToken: { description: "The bearer token of the next call", required: true, schema: { type: "string" } },
        NextTokenIfSpent: {
          description:
            "As NextToken; absent if the bearer token was not consumed: with `origin`, and after an internal error or an overload before it was consumed",
          required: false,
          schema: { type: "string" },
        },
        RetryAfter: { description: "Seconds", required: true, schema: { type: "integer", minimum: 1 } },
        Authenticate: {
          description: "The authentication scheme, RFC 9110 section 11.6.1",
          required: true,
          schema: { type: "string" },
        },
      },
    },
  };
}

const DESCRIPTION =
  "Bodies are JSON of at most 64 KiB. An error is an object whose member `error` is one of the listed codes. There is no " +
  "CORS. A request from a page of another site is refused with 403 `origin`.";

const SETTINGS = "Login settings";
const SECOND_FACTOR = "Second factor";
const REGISTRATION = "Registration";

const SETTINGS_DESCRIPTION =
  "The bearer token of a call is the parameter `t` of a URL that the call `open` returned, or the `x-api-next-token` of the " +
  "previous response. It is consumed before the rest of the request is read: a second call with it gets 401 without that " +
  "header and has no effect. A chain ends ten minutes after its last call, and 30 minutes after its first one. Cookies do " +
  "not authenticate a call.";

const SECOND_FACTOR_DESCRIPTION =
  "The calls of the second-factor pages during a sign-in, made by the browser that has entered the password. Every call " +
  "needs the mfa_token as bearer token, the header X-XSRF-Token and the browser cookie. A verified factor returns the next " +
  "mfa_token, and the previous one ends; post it to /mfa/verify. After a refusal the mfa_token stays valid. The set-up " +
  "calls are for users without a second factor whose sign-in is not older than ten minutes.";

const REGISTRATION_DESCRIPTION =
  "The calls of a client with a registration URL, made by its server. The client authenticates as it is registered: " +
  "client_secret_basic with the Authorization header, client_secret_post with the members client_id and client_secret of the " +
  "JSON body; both at once are refused with 401.";

/** The error codes of every call of a group, by status. */
type CommonRefusals = Readonly<Partial<Record<RefusalStatus, readonly PageCode[]>>>;

type Entries<Call> = readonly (readonly [name: string, call: Call])[];

function describePaths<Call extends DocumentedCall>(
  base: string,
  calls: Entries<Call>,
  describe: (call: Call) => object,
) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, call] of calls) {
    const path = `${base}/${call.path}`;
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: { operationId, ...describe(call) } };
  }
  return paths;
}

function describeSettingsCall(call: SettingsCall) {
  // The body of a GET is not read.
  const isRead = call.method === "GET";
  const unparsed = isRead ? [] : (["Could not parse request"] as const);
  const common: CommonRefusals = {
    400: unparsed,
    401: ["unauthorized"],
    403: [
      ...(isRead ? [] : (["origin"] as const)),
      ...(call.isSensitive ? (["reauthentication_required"] as const) : []),
    ],
    413: isRead ? [] : ["bad request"],
    415: unparsed,
    500: ["internal"],
    503: ["overloaded"],
  };
  return {
    tags: [SETTINGS],
    ...describeInputs(call),
    responses: {
      200: { description: "Done", headers: NEXT, content: json(describeOutput(call.response)) },
      ...describeRefusals(call, common, MANAGE_REFUSALS),
    },
  };
}

function describeStepCall(call: DocumentedCall) {
  const common: CommonRefusals = {
    ...REFUSALS_OF_EVERY_BODY,
    400: ["bad request"],
    401: ["unauthorized"],
    403: ["origin", "xsrf"],
  };
  return {
    tags: [SECOND_FACTOR],
    security: [{ mfaToken: [], xsrf: [], browser: [] }],
    ...describeInputs(call),
    responses: {
      200: { description: "Done", content: json(describeOutput(call.response)) },
      ...describeRefusals(call, common, STEP_REFUSALS),
    },
  };
}

function describeRegistrationCall(call: DocumentedCall) {
  const common: CommonRefusals = {
    ...REFUSALS_OF_EVERY_BODY,
    400: ["bad request"],
    401: ["unauthorized"],
    403: ["origin"],
  };
  return {
    tags: [REGISTRATION],
    // The empty requirement: client_secret_post, for which OpenAPI has no scheme.
    security: [{ client: [] }, {}],
    ...describeInputs({ ...call, schema: z.intersection(call.schema, CLIENT_IN_BODY) }),
    responses: {
      200: { description: "Done", content: json(describeOutput(call.response)) },
      ...describeRefusals(call, common, REGISTRATION_REFUSALS),
    },
  };
}

const CLIENT_IN_BODY = z
  .object({ client_id: z.string(), client_secret: z.string() })
  .partial()
  .describe("With client_secret_post, in place of the Authorization header");

const REFUSALS_OF_EVERY_BODY: CommonRefusals = {
  413: ["bad request"],
  415: ["bad request"],
  500: ["internal"],
  503: ["overloaded"],
};

function describeInputs({ path, summary, schema }: DocumentedCall) {
  const hasBody = schema !== NO_PAYLOAD;
  const parameters = [...path.matchAll(/{(\w+)}/g)].map(([, name = ""]) => describeParameter(name));
  return {
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody ? { requestBody: { required: true, content: json(describeInput(schema)) } } : {}),
  };
}

function describeOpening() {
  return {
    operationId: "open",
    tags: [SETTINGS],
    summary: "Returns a URL that opens the settings of a user who signed in to this client",
    security: [{ client: [] }],
    requestBody: {
      required: true,
      content: { "application/x-www-form-urlencoded": { schema: describeInput(OPENING_CALL.schema) } },
    },
    responses: {
      200: { description: "Redirect the browser to this URL", content: json(describeOutput(OPENING_CALL.response)) },
      400: { description: REASONS[400], content: json(describeError(["redirect uri is invalid", "bad request"])) },
      401: {
        description: "The client is not authenticated",
        headers: AUTHENTICATE,
        content: json(describeError(["unauthorized"])),
      },
      403: {
        description: "The client may not open the settings, or the access token is not its own or no longer valid",
        content: json(describeError(["unauthorized"])),
      },
      415: { description: "The body is not a form", content: json(describeError(["bad request"])) },
    },
  };
}

const NEXT = { "x-api-next-token": { $ref: "#/components/headers/NextToken" } };
const NEXT_IF_SPENT = { "x-api-next-token": { $ref: "#/components/headers/NextTokenIfSpent" } };
const WAIT = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
const AUTHENTICATE = { "WWW-Authenticate": { $ref: "#/components/headers/Authenticate" } };

const REASONS: Record<RefusalStatus, string> = {
  400: "The request is invalid",
  401: "The bearer token is missing, used or expired",
  403: "The call came from a page of another site (the token is not consumed), or the last authentication of the user is more than ten minutes ago",
  404: "The provider is unknown or not configured",
  409: "The change conflicts with the current state",
  413: "The body is longer than 64 KiB and was not read",
  415: "The body is not JSON",
  429: "Too many attempts",
  500: "Internal error; without `x-api-next-token` the call had no effect and the bearer token remains valid",
  503: "Overload, or a provider that does not respond; without `x-api-next-token` the bearer token remains valid",
};

/** The descriptions and response headers of the refusals of a group of calls. */
type RefusalTexts = {
  reasons: Record<RefusalStatus, string>;
  /** The response headers by status; the default is for all other statuses. */
  headers: Partial<Record<RefusalStatus | "default", object>>;
};

const MANAGE_REFUSALS: RefusalTexts = {
  reasons: REASONS,
  headers: {
    default: NEXT,
    401: AUTHENTICATE,
    403: NEXT_IF_SPENT,
    413: {},
    429: { ...NEXT, ...WAIT },
    500: NEXT_IF_SPENT,
    503: { ...NEXT_IF_SPENT, ...WAIT },
  },
};

const STEP_REFUSALS: RefusalTexts = {
  reasons: {
    ...REASONS,
    401: "The mfa_token is missing, wrong, used, replaced by a newer one, expired or of another browser",
    403: "The call came from a page of another site, X-XSRF-Token is invalid, or the user may not set up a factor now",
    500: "Internal error",
    503: "Overload, or the database is not available",
  },
  headers: { 429: WAIT, 503: WAIT },
};

const REGISTRATION_REFUSALS: RefusalTexts = {
  reasons: {
    ...REASONS,
    401: "The client is not authenticated",
    403: "The call came from a page of another site",
    409: "Another user has this user name; the registration stays valid",
    429: "More than 20 user names were tried for this registration",
    500: "Internal error",
    503: "Overload, or the database is not available",
  },
  headers: { 401: AUTHENTICATE, 429: WAIT, 503: WAIT },
};

const STATUSES = [400, 401, 403, 404, 409, 413, 415, 429, 500, 503] as const satisfies readonly RefusalStatus[];

/** Describes the refusals that are common to a group of calls, and those of this call. */
function describeRefusals(
  { refusals, details }: DocumentedCall,
  common: CommonRefusals,
  { reasons, headers }: RefusalTexts,
) {
  const described = STATUSES.flatMap((status) => {
    const codes = [...(common[status] ?? []), ...(refusals[status] ?? [])];
    if (codes.length === 0) return [];
    const sent = headers[status] ?? headers.default ?? {};
    const hasHeaders = Object.keys(sent).length > 0;
    const content = json(describeError(codes, details));
    return [[status, { description: reasons[status], ...(hasHeaders ? { headers: sent } : {}), content }]];
  });
  return Object.fromEntries(described);
}

function describeParameter(name: string) {
  return { name, in: "path", required: true, schema: { type: "string", enum: PROVIDERS } };
}

function describeError(codes: readonly string[], details: DocumentedCall["details"] = {}) {
  const detailed = Object.entries(details).filter(([code]) => codes.includes(code));
  const plain = codes.filter((code) => !detailed.some(([known]) => known === code));
  const schemas = [
    ...(plain.length > 0 ? [z.strictObject({ error: z.enum(plain) })] : []),
    ...detailed.map(([code, schema]) => z.strictObject({ error: z.literal(code), ...schema.shape })),
  ];
  const [only, ...others] = schemas;
  return describeOutput(only && others.length === 0 ? only : z.union(schemas));
}

function json(schema: object) {
  return { "application/json": { schema } };
}

function describeInput(schema: z.ZodType): object {
  return withoutDialect(z.toJSONSchema(schema, { io: "input" }));
}

function describeOutput(schema: z.ZodType): object {
  return withoutDialect(z.toJSONSchema(schema, { io: "output" }));
}

/** Removes `$schema`: OpenAPI 3.1 uses JSON Schema 2020-12 by default. */
function withoutDialect({ $schema: _dialect, ...schema }: Record<string, unknown>): object {
  return schema;
}
