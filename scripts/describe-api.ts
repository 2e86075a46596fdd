import { z } from "zod";
import { PROVIDERS } from "#app/domain/external-account/providers.ts";
import { type DocumentedCall, NO_PAYLOAD } from "#app/http/documented-call.ts";
import { MANAGE_API, MANAGE_CALLS, OPENING_CALL } from "#app/http/manage-calls.ts";

/** The settings' API in the words of OpenAPI 3.1. https://spec.openapis.org/oas/v3.1.0 */
export function describeApi() {
  return {
    openapi: "3.1.0",
    info: { title: "Gatehouse: the API of the login settings", version: "1", description: DESCRIPTION },
    servers: [
      {
        url: `{issuer}${MANAGE_API}`,
        variables: { issuer: { default: "https://login.example.com", description: "Where Gatehouse is" } },
      },
    ],
    security: [{ chain: [] }],
    paths: { "/token": { post: describeOpening() }, ...describePaths(Object.entries(MANAGE_CALLS)) },
    components: {
      securitySchemes: {
        chain: { type: "http", scheme: "bearer", description: "Good once; every answer brings the next one" },
        client: { type: "http", scheme: "basic", description: "client_id and client_secret, as at /oauth2/token" },
      },
      headers: {
        NextToken: { description: "The bearer token of the next call", required: true, schema: { type: "string" } },
        NextTokenIfSpent: {
          description:
            "As NextToken; not where the bearer token was not spent: with `origin`, and with a defect that left it as it was",
          required: false,
          schema: { type: "string" },
        },
        RetryAfter: { description: "Seconds", required: true, schema: { type: "integer", minimum: 1 } },
      },
    },
  };
}

const DESCRIPTION =
  "A call's bearer token is the parameter `t` of an address that `/token` gave, or the `x-api-next-token` of the answer " +
  "before. It is spent before anything else of the call is looked at: a second call with it is answered 401 without " +
  "that header, and does nothing. A chain ends ten minutes after its last call, and 30 minutes after its first one. " +
  "Bodies are JSON; there is no CORS, and cookies prove nothing.";

type Entries = readonly (readonly [name: string, call: DocumentedCall])[];

function describePaths(calls: Entries) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [operationId, call] of calls) {
    const path = `/${call.path}`;
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: { operationId, ...describeCall(call) } };
  }
  return paths;
}

function describeCall({ method, path, summary, schema, answer, isSensitive, refusals, details }: DocumentedCall) {
  const hasBody = schema !== NO_PAYLOAD;
  // The body of a GET is not read.
  const unparsed = method === "GET" ? [] : ["Could not parse request"];
  const parameters = [...path.matchAll(/{(\w+)}/g)].map(([, name = ""]) => describeParameter(name));
  return {
    summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody ? { requestBody: { required: true, content: json(describeInput(schema)) } } : {}),
    responses: {
      200: { description: "Done", headers: NEXT, content: json(describeOutput(answer)) },
      ...describeRefusals(
        {
          ...refusals,
          400: [...unparsed, ...(refusals[400] ?? [])],
          403: [...(method === "GET" ? [] : ["origin"]), ...(isSensitive ? ["reauthentication_required"] : [])],
          415: unparsed,
          500: ["internal"],
        },
        details,
      ),
      401: {
        description: "The bearer token is spent, too old, or none",
        content: json(describeError(["unauthorized"])),
      },
    },
  };
}

function describeOpening() {
  return {
    operationId: "open",
    summary: "Asks for an address that opens the settings of a person, as the application that they signed in at",
    security: [{ client: [] }],
    requestBody: {
      required: true,
      content: { "application/x-www-form-urlencoded": { schema: describeInput(OPENING_CALL.schema) } },
    },
    responses: {
      200: { description: "Send the browser there", content: json(describeOutput(OPENING_CALL.answer)) },
      400: { description: REASONS[400], content: json(describeError(["redirect uri is invalid", "bad request"])) },
      401: { description: "The application did not prove who it is", content: json(describeError(["unauthorized"])) },
      403: {
        description: "The application may not open settings, or the access token is none of its own or good no more",
        content: json(describeError(["unauthorized"])),
      },
      415: { description: "The body is no form", content: json(describeError(["bad request"])) },
    },
  };
}

const NEXT = { "x-api-next-token": { $ref: "#/components/headers/NextToken" } };
const NEXT_IF_SPENT = { "x-api-next-token": { $ref: "#/components/headers/NextTokenIfSpent" } };
const WAIT = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };

const REASONS = {
  400: "Something of it is not as it should be",
  403: "A page of another site made the call, whose token is not spent then; or the person has to prove who they are again: the last time is more than ten minutes ago",
  404: "There is no such provider here",
  409: "It collides with what is there",
  415: "The body is no JSON",
  429: "Too many attempts",
  500: "A defect; without `x-api-next-token` nothing was done, and the same bearer token is good still",
  503: "Too much to do at the moment, or a provider that does not answer",
} as const;

function describeRefusals(
  refusals: Partial<Record<keyof typeof REASONS, readonly string[]>>,
  details: DocumentedCall["details"],
) {
  const told = Object.entries(refusals).filter(([, codes]) => codes.length > 0);
  return Object.fromEntries(
    told.map(([status, codes]) => {
      const isUnspent = status === "403" || status === "500";
      const headers = status === "429" ? { ...NEXT, ...WAIT } : isUnspent ? NEXT_IF_SPENT : NEXT;
      const reason = Object.entries(REASONS).find(([known]) => known === status);
      return [status, { description: reason?.[1] ?? "", headers, content: json(describeError(codes, details)) }];
    }),
  );
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

/** OpenAPI 3.1 speaks the dialect of 2020-12 anyway. */
function withoutDialect({ $schema: _dialect, ...schema }: Record<string, unknown>): object {
  return schema;
}
