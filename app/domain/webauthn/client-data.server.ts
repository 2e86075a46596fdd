import { decodeClientDataJSON } from "@simplewebauthn/server/helpers";
import { z } from "zod";

/**
 * No page of ours is ever shown inside another one: an answer from a frame is somebody else's doing.
 * https://www.w3.org/TR/webauthn-3/#dictionary-client-data
 */
const topLevelSchema = z.object({ crossOrigin: z.literal(false).optional(), topOrigin: z.undefined().optional() });

/**
 * Whether the browser says that the question was asked by a page on its own, in no frame: `crossOrigin` false or left
 * out, `topOrigin` left out. False for client data that cannot be read. Type, challenge and origin are not looked at.
 */
export function isTopLevel(clientDataJSON: string): boolean {
  try {
    return topLevelSchema.safeParse(decodeClientDataJSON(clientDataJSON)).success;
  } catch {
    return false;
  }
}
