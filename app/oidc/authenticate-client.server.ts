import { z } from "zod";
import { fromHeader } from "./basic-credentials.ts";
import type { Oidc } from "./oidc.ts";

/** Client credentials of a call: the `Authorization` header, or members of the JSON body (RFC 6749 §2.3.1). */
type PresentedCredentials = { authorization: string | null; body: unknown };

const METHODS: readonly unknown[] = ["client_secret_basic", "client_secret_post"];

const bodySchema = z.object({ client_id: z.string().min(1), client_secret: z.string().min(1) });

/**
 * Authenticates the client that calls one of our own endpoints, by a secret in the header or in the body, not in both.
 * oidc-provider compares the secret in constant time.
 * @returns the client_id, or null if authentication failed
 */
export async function authenticateClient(
  { oidc }: { oidc: Oidc },
  presented: PresentedCredentials,
): Promise<string | null> {
  const posted = bodySchema.safeParse(presented.body);
  if (posted.success && presented.authorization !== null) return null;
  const credentials = posted.success
    ? { id: posted.data.client_id, secret: posted.data.client_secret }
    : fromHeader(presented.authorization ?? "");
  if (!credentials) return null;
  const client = await (await oidc.provider()).Client.find(credentials.id);
  if (!client || !METHODS.includes(client.clientAuthMethod)) return null;
  return (await client.compareClientSecret(credentials.secret)) ? client.clientId : null;
}
