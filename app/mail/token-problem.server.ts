import { ResponseBodyError } from "openid-client";
import { z } from "zod";
import type { MailCredential } from "#app/config/config.ts";
import type { MailProblem } from "./problem.server.ts";

type Credential = MailCredential["kind"];

/**
 * Error codes of Microsoft Entra. Microsoft documents them for administrators and may change them; a code that is not
 * listed is reported by its number, with the stage of the OAuth error code beside it.
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes
 */
const ENTRA_ERRORS: ReadonlyMap<number, MailProblem> = new Map([
  [90002, { stage: "tenant", reason: "Microsoft does not know the tenant" }],
  [900023, { stage: "tenant", reason: "Microsoft does not know the tenant" }],
  [700016, { stage: "client", reason: "the application does not exist in the tenant" }],
  [7000112, { stage: "client", reason: "the application is disabled in the tenant" }],
  [7000215, { stage: "secret", reason: "Microsoft rejected the client secret" }],
  [7000222, { stage: "expired secret", reason: "the client secret has expired" }],
  [700027, { stage: "certificate", reason: "Microsoft rejected the signature of the certificate's key" }],
  [700024, { stage: "certificate", reason: "Microsoft rejected the time of the signed assertion" }],
  [70011, { stage: "scope", reason: "Microsoft does not know the scope" }],
  [1002012, { stage: "scope", reason: "Microsoft does not know the scope" }],
  [500011, { stage: "scope", reason: "the tenant does not have the service of the scope" }],
]);

/** Problems of each credential by OAuth error code (RFC 6749 §5.2). */
const OAUTH_ERRORS: Record<Credential, Readonly<Record<string, MailProblem>>> = {
  secret: {
    invalid_client: { stage: "secret", reason: "the token endpoint rejected the client id or the client secret" },
    unauthorized_client: { stage: "client", reason: "the client may not use client credentials" },
    invalid_scope: { stage: "scope", reason: "the token endpoint rejected the scope" },
  },
  certificate: {
    invalid_client: { stage: "certificate", reason: "the token endpoint rejected the client id or the certificate" },
    unauthorized_client: { stage: "client", reason: "the client may not use client credentials" },
    invalid_scope: { stage: "scope", reason: "the token endpoint rejected the scope" },
  },
  // https://developers.google.com/identity/protocols/oauth2/service-account#error-codes
  "service account": {
    invalid_client: { stage: "service account", reason: "the service account or its key does not exist" },
    invalid_grant: { stage: "service account", reason: "the token endpoint rejected the assertion" },
    unauthorized_client: { stage: "delegation", reason: "the service account may not act for the mailbox" },
    access_denied: { stage: "delegation", reason: "the service account may not act for the mailbox" },
    invalid_scope: { stage: "scope", reason: "the token endpoint rejected the scope" },
  },
};

const bodySchema = z.object({ error_codes: z.array(z.number().int()).min(1).max(10) });

/** Converts an error of a token request. Never contains a text of the response, which may repeat what was sent. */
export function tokenProblemOf(error: unknown, credential: Credential): MailProblem {
  if (error instanceof ResponseBodyError) return refusalOf(error, credential);
  const code = codeOf(error);
  if (code === "OAUTH_TIMEOUT" || code === "OAUTH_ABORT") {
    return { stage: "token endpoint", reason: "the token endpoint does not respond" };
  }
  return { stage: "token endpoint", reason: `the token endpoint cannot be used (${statusOf(error) ?? code})` };
}

function refusalOf({ error, cause, status }: ResponseBodyError, credential: Credential): MailProblem {
  const [code] = bodySchema.safeParse(cause).data?.error_codes ?? [];
  const name = /^[a-z_]{1,50}$/.test(error) ? error : String(status);
  const known = (code === undefined ? undefined : ENTRA_ERRORS.get(code)) ?? OAUTH_ERRORS[credential][name];
  return withNote(known, code === undefined ? name : `AADSTS${code}`);
}

function withNote(problem: MailProblem | undefined, note: string): MailProblem {
  const { stage, reason } = problem ?? { stage: "token", reason: "the token endpoint refused the request" };
  return { stage, reason: `${reason} (${note})` };
}

const responseSchema = z.object({ cause: z.instanceof(Response) });

function statusOf(error: unknown): number | null {
  return responseSchema.safeParse(error).data?.cause.status ?? null;
}

/** Returns the code of the innermost cause that has one: fetch and openid-client wrap the error of the connection. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const inner = error.cause instanceof Error ? codeOf(error.cause) : "unknown";
  if (inner !== "unknown") return inner;
  return "code" in error && typeof error.code === "string" ? error.code : "unknown";
}
