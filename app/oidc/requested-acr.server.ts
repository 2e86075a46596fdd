import { z } from "zod";
import { ACR_MFA, ACR_PASSWORD } from "#app/domain/engine-session/subject.server.ts";

const claimsSchema = z.object({
  id_token: z.object({
    acr: z.object({
      essential: z.literal(true),
      value: z.string().optional(),
      values: z.array(z.string()).optional(),
    }),
  }),
});

/**
 * Returns true if a client requests two factors and accepts nothing less: `acr_values`, or an essential `acr` claim,
 * contains our two-factor acr and not our password acr (OpenID Connect Core 1.0 §3.1.2.1, §5.5.1.1).
 */
export function demandsMfa({ acr_values: acrValues, claims }: Readonly<Record<string, unknown>>): boolean {
  const requested = typeof acrValues === "string" ? acrValues.split(" ") : [];
  return [requested, essentialAcrs(claims)].some((acrs) => acrs.includes(ACR_MFA) && !acrs.includes(ACR_PASSWORD));
}

function essentialAcrs(claims: unknown): string[] {
  const parsed = claimsSchema.safeParse(typeof claims === "string" ? parse(claims) : null);
  if (!parsed.success) return [];
  const { value, values = [] } = parsed.data.id_token.acr;
  return value === undefined ? values : [value, ...values];
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
