import type { Config } from "#app/config/config.ts";
import { rollback } from "#app/db/transaction.server.ts";
import { checkNewPassword, type NewPasswordResult } from "#app/domain/password/check-new.server.ts";
import { callerOf } from "#app/domain/password/concurrency-limit.server.ts";
import { replacePassword } from "#app/domain/password-reset/reset.server.ts";
import { findThrottle, type Throttled } from "#app/domain/pending-sign-in/attempts.server.ts";
import type { RequestMetadata } from "#app/ports.ts";
import { type CodeDeps, checkCode, recordCode, refuseCode } from "./check-code.server.ts";
import { consumeHelp, type ErrorToken } from "./consume.server.ts";
import { findHelpOfBearer } from "./help.server.ts";

/** Dependencies of `setPasswordByHelp`. */
type NewPasswordDeps = CodeDeps & { config: Pick<Config, "productName"> };

/** The code was used by a simultaneous request. */
type Spent = { kind: "spent" };

/** `code`: of the authenticator app or a recovery code, as typed; "" of a person without a second factor. */
type NewPasswordInput = { bearer: string; password: string; repeat: string; code: string } & RequestMetadata;

/** Result of `setPasswordByHelp`. `isFirst`: the person had no password before. */
type NewPasswordOutcome =
  | { kind: "done"; username: string; isFirst: boolean }
  | Extract<NewPasswordResult, { kind: "refused" }>
  | { kind: "wrong code" }
  | Throttled
  | ErrorToken;

/**
 * Sets the password of a person who got help for a new password and, if the person has a second factor, gives a code.
 * Consumes help and code, ends all sessions and notifies the person, in one transaction. The password is checked first,
 * so that a refused one uses up no code. Throws DomainError "overloaded" when the hash queue is full; the help stays valid.
 */
export async function setPasswordByHelp(
  context: NewPasswordDeps,
  input: NewPasswordInput,
): Promise<NewPasswordOutcome> {
  const help = await findHelpOfBearer(context, input.bearer);
  if (help?.kind !== "new-password") return { kind: "error-token" };
  const { user } = help;
  const checked = await checkNewPassword(context, { password: input.password, repeat: input.repeat, user });
  if (checked.kind === "refused") return checked;
  const code = await checkCode(context, user, input);
  if (code.kind !== "right") return code;
  const hash = await context.hasher.hash(checked.password, callerOf(user.id, input.address));
  const outcome = await context.store.tx<NewPasswordOutcome | Spent>(async (store) => {
    const deps = { ...context, store };
    if (!(await consumeHelp(deps, help, input))) return rollback({ kind: "error-token" });
    const throttled = await findThrottle(deps, user.id);
    if (throttled) return rollback(throttled);
    // Before the password's new generation, and only if no factor was added or removed since.
    if (!(await code.consume(store))) return rollback({ kind: "spent" });
    if (code.name !== null) await recordCode(deps, { user, name: code.name, input });
    const fields = { generation: user.generation, hash, mailedTo: null };
    if (!(await replacePassword(deps, user, { ...fields, metadata: input }))) return rollback({ kind: "error-token" });
    return { kind: "done", username: user.username, isFirst: user.passwordHash === null };
  });
  return outcome.kind === "spent" ? refuseCode(context, { user, name: code.name ?? "totp", input }) : outcome;
}
