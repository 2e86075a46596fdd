import { consumeRecoveryCode } from "#app/db/repositories/recovery-codes.server.ts";
import { consumeStep, findTotpCredential } from "#app/db/repositories/totp-credentials.server.ts";
import type { User } from "#app/db/schema.server.ts";
import type { Store } from "#app/db/store.server.ts";
import type { AuditDeps } from "#app/domain/audit/record.server.ts";
import { readCode } from "#app/domain/factor/code.ts";
import { findFactors, hasFactor } from "#app/domain/factor/factors.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import type { PasswordHasher } from "#app/domain/password/hash.server.ts";
import {
  type FactorName,
  findThrottle,
  recordFactor,
  recordWrongFactor,
  refuseAttempt,
  type Throttled,
} from "#app/domain/pending-sign-in/attempts.server.ts";
import { hashInSet } from "#app/domain/recovery-code/hash.server.ts";
import { checkTotp } from "#app/domain/totp/verify.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import type { HelpDeps } from "./help.server.ts";

/** Dependencies of checking a code. */
export type CodeDeps = AuditDeps & MailDeps & { hasher: PasswordHasher };

/** Returns true if the person has to give a code for a new password. */
export async function hasSecondFactor({ store }: Pick<HelpDeps, "store">, userId: string): Promise<boolean> {
  return hasFactor(await findFactors(store, userId));
}

/** `code`: as typed. */
type CodeInput = { code: string } & RequestMetadata;

/** `name`: null for a person without a second factor. */
type RightCode = { kind: "right"; name: FactorName | null; consume: (tx: Store) => Promise<boolean> };

/** Checks the code of a person with a second factor, without consuming it. */
export async function checkCode(
  context: CodeDeps,
  user: User,
  input: CodeInput,
): Promise<RightCode | { kind: "wrong code" } | Throttled> {
  const { store, secrets, clock } = context;
  if (!hasFactor(await findFactors(store, user.id))) return { kind: "right", name: null, consume: async () => true };
  const throttled = await findThrottle(context, user.id);
  if (throttled) return throttled;
  const parsed = readCode(input.code);
  if (parsed.kind === "malformed") return { kind: "wrong code" };
  const now = clock.now();
  if (parsed.kind === "recovery") {
    const name = "recovery code";
    const codeHash = await hashInSet(context, { userId: user.id, code: parsed.code, address: input.address });
    if (codeHash === null) return refuseCode(context, { user, name, input });
    return { kind: "right", name, consume: (tx) => consumeRecoveryCode(tx, user.id, { codeHash, now }) };
  }
  const name = "totp";
  const credential = await findTotpCredential(store, user.id);
  const secretBase32 = credential && (await secrets.open("totp", credential.sealedSecret));
  const result = secretBase32 ? await checkTotp({ secretBase32, code: parsed.code, now }, credential) : null;
  if (result?.kind !== "right") return refuseCode(context, { user, name, input });
  return { kind: "right", name, consume: (tx) => consumeStep(tx, user.id, result.step, now) };
}

type UsedCode = { user: User; name: FactorName; input: CodeInput };

/** Counts and records a wrong code, as one of a sign-in. */
export function refuseCode(
  context: CodeDeps,
  { user, name, input }: UsedCode,
): Promise<{ kind: "wrong code" } | Throttled> {
  return refuseAttempt<{ kind: "wrong code" }>(context, user.id, async (store) => {
    await recordWrongFactor({ ...context, store }, { pending: pendingOf(user), name, metadata: input });
    return { kind: "wrong code" };
  });
}

/** Records a code that was accepted, and notifies the person by mail of a used recovery code. */
export async function recordCode(deps: CodeDeps, { user, name, input }: UsedCode): Promise<void> {
  const isRecoveryCode = name === "recovery code";
  if (isRecoveryCode) {
    const { recoveryCodesLeft: left } = await findFactors(deps.store, user.id);
    await notifyUser(deps, user.id, { template: { name: "recovery-code-used", left }, from: input });
  }
  const event = { pending: pendingOf(user), name, metadata: input };
  await recordFactor(deps, isRecoveryCode ? "recovery-code.used" : "factor.accepted", event);
}

/** The code is not part of a sign-in to an application. */
function pendingOf({ id: userId }: User) {
  return { userId, clientId: null };
}
