import type { z } from "zod";
import { hasCode } from "#app/domain/base/errors.ts";
import { isSealedSecret, type Secrets } from "#app/domain/secret/secrets.server.ts";
import type { SealPurpose } from "#app/ports.ts";

/** Returns the content of a sealed cookie; null if there is none, or if it was not sealed by us for this purpose. */
export async function openSealedCookie<Content>(
  secrets: Pick<Secrets, "open">,
  { purpose, schema, cookie }: { purpose: SealPurpose; schema: z.ZodType<Content>; cookie: string },
): Promise<Content | null> {
  if (!isSealedSecret(cookie)) return null;
  try {
    return schema.parse(JSON.parse(await secrets.open(purpose, cookie)));
  } catch (error) {
    if (hasCode(error, "wrong secret key")) return null;
    throw error;
  }
}
