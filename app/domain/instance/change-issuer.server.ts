import type { Config } from "#app/config/config.ts";
import { getInstance, setIssuer } from "#app/db/repositories/instance.server.ts";
import { countKeysOfOtherRp } from "#app/db/repositories/webauthn-credentials.server.ts";
import { type AuditDeps, recordEvent } from "#app/domain/audit/record.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";

/**
 * Stores the configured issuer and rpId. Throws DomainError "host changed" if security keys are bound to another rpId
 * (https://www.w3.org/TR/webauthn-3/#rp-id), unless `acceptHost` is true.
 */
export async function changeIssuer(
  context: AuditDeps & { config: Pick<Config, "issuer"> },
  { acceptHost }: { acceptHost: boolean },
): Promise<void> {
  const { store, config } = context;
  const { issuer } = config;
  const rpId = new URL(issuer).hostname;
  const before = await getInstance(store);
  if (before.issuer === issuer && before.rpId === rpId) return;
  const boundKeys = before.rpId === rpId ? 0 : await countKeysOfOtherRp(store, rpId);
  if (boundKeys > 0 && !acceptHost) {
    throw new DomainError("host changed", {
      detail: `${rpId} instead of ${before.rpId}; ${boundKeys} security keys are bound`,
    });
  }
  await store.tx(async (tx) => {
    await setIssuer(tx, { issuer, rpId });
    const reason = `${before.issuer} -> ${issuer}`;
    await recordEvent({ ...context, store: tx }, { type: "instance.moved", outcome: "ok", reason });
  });
}
