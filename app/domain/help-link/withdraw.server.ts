import { rollback } from "#app/db/transaction.server.ts";
import type { Administrator } from "#app/domain/administration/administrator.ts";
import { requirePerson } from "#app/domain/administration/person.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { withdrawOpenHelp } from "#app/domain/help-kind/one-kind.server.ts";
import type { SignInMetadata } from "#app/ports.ts";

/** Result of `withdrawHelp`; the first two as of `requirePerson`. "none": no help was open. */
type WithdrawOutcome = { kind: "not found" } | { kind: "not allowed" } | { kind: "none" } | { kind: "withdrawn" };

/** Withdraws the open help of a person, given by any administrator. It cannot be used any more. */
export async function withdrawHelp(
  context: AuditDeps,
  administrator: Administrator,
  {
    personId,
    address,
    userAgent,
    requestId,
  }: { personId: string } & Pick<SignInMetadata, "address" | "userAgent" | "requestId">,
): Promise<WithdrawOutcome> {
  return context.store.tx<WithdrawOutcome>(async (store) => {
    const person = await requirePerson(store, administrator, personId);
    if (person.kind !== "found") return rollback(person);
    const withdrawn = await withdrawOpenHelp(
      { ...context, store, metadata: { address, userAgent, requestId } },
      person.user,
    );
    return { kind: withdrawn > 0 ? "withdrawn" : "none" };
  });
}
