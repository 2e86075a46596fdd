import { and, eq, isNull, sql } from "drizzle-orm";
import { prepared } from "#app/db/prepared.server.ts";
import type { Store } from "#app/db/store.server.ts";

/** How many second factors a person has. Recovery codes: those that were not used. */
export type FactorCounts = { totp: number; securityKeys: number; recoveryCodesLeft: number };

const ofUser = prepared(({ q, t: { users, totpCredentials, webauthnCredentials, recoveryCodes } }) => {
  const userId = sql.placeholder("userId");
  return q
    .select({
      totp: q.$count(totpCredentials, eq(totpCredentials.userId, userId)),
      securityKeys: q.$count(webauthnCredentials, eq(webauthnCredentials.userId, userId)),
      recoveryCodesLeft: q.$count(recoveryCodes, and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))),
    })
    .from(users)
    .where(eq(users.id, userId))
    .prepare();
});

/** The user's second factors in one statement; nothing for somebody who does not exist. */
export async function countFactors(store: Store, userId: string): Promise<FactorCounts> {
  const [counts] = await ofUser(store).execute({ userId });
  return counts ?? { totp: 0, securityKeys: 0, recoveryCodesLeft: 0 };
}
