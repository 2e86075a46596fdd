import type { KoaContextWithOIDC } from "oidc-provider";
import { pickHints } from "#app/domain/client/hints.ts";
import { sentParameters } from "./sent-parameters.server.ts";

/** Request parameter that holds the hints as JSON until the sign-in form. Values that clients send are overwritten. */
export const HINTS_PARAM = "gatehouse_reg_hints";

/**
 * Stores the declared hints of an authorization request, `reg_hints[key]=value`, with its parameters. They are read
 * from the query or from a pushed request, and not again when the request is resumed.
 */
export function keepHints(ctx: KoaContextWithOIDC): void {
  const { params, client } = ctx.oidc;
  const sent = sentParameters(ctx);
  if (!params || sent === null) return;
  const declared = Array.isArray(client?.reg_hints) ? client.reg_hints.map(String) : [];
  const hints = pickHints(declared, (key) => sent[`reg_hints[${key}]`]);
  params[HINTS_PARAM] = hints.length > 0 ? JSON.stringify(hints) : undefined;
}
