import type { Interaction } from "oidc-provider";
import { z } from "zod";
import type { RecordToSave } from "#app/db/repositories/oidc-records.server.ts";
import type { JsonObject } from "#app/db/schema.server.ts";
import { hasCode } from "#app/domain/base/errors.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import type { SealedSecret } from "#app/ports.ts";

/** An interaction that is not stored, as the record to store. */
export type UnstoredInteraction = RecordToSave & { payload: JsonObject; expiresAt: Date };

const contentSchema = z.looseObject({ jti: z.string(), exp: z.number(), grantId: z.string().optional() });

/** Encrypts an interaction for its challenge, compressed or not. */
export function sealInteraction(
  secrets: Pick<Secrets, "seal">,
  interaction: Interaction,
  zip?: "DEF",
): Promise<SealedSecret> {
  return secrets.seal("authorization-request", JSON.stringify(contentOf(interaction)), zip);
}

/** Decrypts the interaction in a challenge. Returns null if it is damaged or has another uid. */
export async function unsealInteraction(
  secrets: Pick<Secrets, "open">,
  { uid, sealed }: { uid: string; sealed: SealedSecret },
): Promise<UnstoredInteraction | null> {
  try {
    const record = recordOf(JSON.parse(await secrets.open("authorization-request", sealed)));
    return record.id === uid ? record : null;
  } catch (error) {
    if (hasCode(error, "wrong secret key")) return null;
    throw error;
  }
}

/** Returns the record of an interaction that is too large for a URL. */
export function recordOfInteraction(interaction: Interaction): UnstoredInteraction {
  return recordOf(contentOf(interaction));
}

function recordOf(content: unknown): UnstoredInteraction {
  const payload = contentSchema.parse(content);
  const { jti: id, exp, grantId = null } = payload;
  return { model: "Interaction", id, payload, grantId, expiresAt: new Date(exp * 1000) };
}

/** Returns what oidc-provider stores, without the session cookie, which it never reads. */
function contentOf(interaction: Interaction): JsonObject {
  const { session, ...content } = { ...interaction };
  if (!session) return content;
  const { cookie: _cookie, ...sessionToKeep } = session;
  return { ...content, session: sessionToKeep };
}
