import { decodeClientDataJSON } from "@simplewebauthn/server/helpers";
import { z } from "zod";

/**
 * Our pages are never framed: responses from frames are refused.
 * https://www.w3.org/TR/webauthn-3/#dictionary-client-data
 */
const topLevelSchema = z.object({ crossOrigin: z.literal(false).optional(), topOrigin: z.undefined().optional() });

/**
 * Returns true if the ceremony ran in a top-level page: `crossOrigin` is false or absent, `topOrigin` is absent.
 * Returns false for malformed client data. Does not check type, challenge and origin.
 */
export function isTopLevel(clientDataJSON: string): boolean {
  try {
    return topLevelSchema.safeParse(decodeClientDataJSON(clientDataJSON)).success;
  } catch {
    return false;
  }
}
