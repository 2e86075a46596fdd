import type { Logger } from "pino";
import { hasEventOfUser } from "#app/db/repositories/audit-events.server.ts";
import { hasOtherBrowser, rememberBrowser } from "#app/db/repositories/known-browsers.server.ts";
import { storeSignIn } from "#app/db/repositories/users.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { assertNever } from "#app/domain/base/assert-never.ts";
import { REMEMBERED_DEVICE } from "#app/domain/engine-session/subject.server.ts";
import { linkRegistered } from "#app/domain/external-account/link-registered.server.ts";
import { notifyUser } from "#app/domain/mail/notify.server.ts";
import type { MailDeps } from "#app/domain/mail/queue.server.ts";
import { isDeviceRemembered } from "#app/domain/remembered-device/check.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import {
  checkSignInPolicy,
  type SignInPolicyDeps,
  type SignInPolicyInput,
  type SignInPolicyResult,
} from "#app/domain/sign-in-policy/sign-in-policy.server.ts";
import { createLimiter, type Limit } from "#app/domain/throttle/limiter.server.ts";
import { DAY_SECONDS } from "#app/durations.ts";
import type { MailTemplate } from "#app/mail/templates.server.ts";
import type { SignInMetadata } from "#app/ports.ts";

/** Dependencies of `finishSignIn`. */
export type FinishDeps = SignInPolicyDeps & MailDeps & { log: Logger };

/**
 * Returns the token of the user's remembered device, from the cookie of this browser; "" if it has none. Left out for
 * requests that do not accept a remembered device.
 */
export type DeviceTokens = { deviceTokenOf?: ((userId: string) => string) | undefined };

/** The user, the sign-in methods, and the metadata of the request. */
type FinishInput = SignInPolicyInput & SignInMetadata & DeviceTokens;

/**
 * Checks the sign-in policy after the proofs of a sign-in. A remembered device may satisfy it in place of a second
 * factor. Call it in the transaction of `finishSignIn`, so that a user who is blocked at the same moment is refused here
 * or loses the session afterwards.
 */
export async function decideSignIn(context: FinishDeps, input: FinishInput): Promise<SignInPolicyResult> {
  const result = await checkSignInPolicy(context, input);
  const token = input.deviceTokenOf?.(input.userId) ?? "";
  if (result.kind !== "second-factor-required" || token === "") return result;
  const { userId, generation } = result;
  if (!(await isDeviceRemembered(context, { userId, generation, browser: input.browser, token }))) return result;
  return checkSignInPolicy(context, { ...input, amr: [...input.amr, REMEMBERED_DEVICE] });
}

/** Remembers the browser of a complete sign-in and records the result of `decideSignIn`, in the same transaction. */
export async function finishSignIn(context: FinishDeps, input: FinishInput, result: SignInPolicyResult): Promise<void> {
  // First, because a change of the user locks the user before known browsers, and another order could deadlock.
  if (result.kind === "complete") await storeSignIn(context.store, input.userId, context.clock.now());
  const isNew = result.kind === "complete" && (await rememberAndNotify(context, input));
  await recordResult(context, input, { result, browser: isNew ? "new" : null });
}

/** Checks the sign-in policy for the user of a live session again, and records the result, in one transaction. */
export async function continueSession(context: FinishDeps, input: FinishInput): Promise<SignInPolicyResult> {
  return context.store.tx(async (store) => {
    const deps = { ...context, store };
    const result = await decideSignIn(deps, input);
    await finishSignIn(deps, input, result);
    return result;
  });
}

/** Limits of mails about new browsers to one user. Keep in step with docs/security.md. */
export const NEW_BROWSER_LIMITS = {
  /** Mails about one sign-in each. */
  single: { name: "new-browser/single", points: 3, windowSeconds: DAY_SECONDS },
  /** These, and one that announces that no more follow. */
  all: { name: "new-browser/all", points: 4, windowSeconds: DAY_SECONDS },
} as const satisfies Record<string, Limit>;

const singleMails = createLimiter(NEW_BROWSER_LIMITS.single);
const allMails = createLimiter(NEW_BROWSER_LIMITS.all);

/**
 * Remembers the browser and notifies the user by mail if it is new, except at the very first sign-in (but also after
 * the known browsers were deleted). Links the account of a registration that waits for this browser. Returns true if
 * the browser is new, even if the day's limit of mails is exceeded.
 */
async function rememberAndNotify(context: FinishDeps, input: FinishInput): Promise<boolean> {
  const { store, clock } = context;
  const now = clock.now();
  const knownBrowser = { userId: input.userId, browserHash: hashToken(input.browser) };
  const { firstSeenAt } = await rememberBrowser(store, { ...knownBrowser, now });
  const isNew = firstSeenAt.getTime() === now.getTime();
  if (!isNew) return false;
  await linkRegistered(context, input);
  const isFirst =
    !(await hasOtherBrowser(store, knownBrowser)) && !(await hasEventOfUser(store, input.userId, SIGNED_IN));
  if (isFirst) return false;
  const template = await findTemplate(context, input.userId);
  if (template) await notifyUser(context, input.userId, { template, from: input });
  return true;
}

/** Counts the sign-in. Returns the mail about it, or null beyond the limit. */
async function findTemplate(context: FinishDeps, userId: string): Promise<MailTemplate | null> {
  const waitSeconds = await singleMails.count(context, userId);
  const isBeyond = (await allMails.count(context, userId)) > 0;
  if (waitSeconds === 0) return { name: "new-browser" };
  const until = new Date(context.clock.now().getTime() + waitSeconds * 1000);
  return isBeyond ? null : { name: "new-browsers", until };
}

const SIGNED_IN = "sign-in.succeeded";

async function recordResult(
  context: FinishDeps,
  input: FinishInput,
  { result, browser }: { result: SignInPolicyResult; browser: "new" | null },
): Promise<void> {
  const { userId, address, userAgent, requestId, clientId } = input;
  const metadata = { userId, address, userAgent, requestId, clientId };
  switch (result.kind) {
    case "complete": {
      const { amr } = result.subject;
      const isDeviceUsed = amr.includes(REMEMBERED_DEVICE) && !input.amr.includes(REMEMBERED_DEVICE);
      if (isDeviceUsed) await recordEvent(context, { type: "device.used", outcome: "ok", ...metadata });
      return recordEvent(context, { type: SIGNED_IN, outcome: "ok", reason: amr.join(" "), browser, ...metadata });
    }
    case "second-factor-required":
      return recordEvent(context, {
        type: "sign-in.second-factor-required",
        outcome: "ok",
        reason: input.amr.join(" "),
        ...metadata,
      });
    case "refused":
      return recordEvent(context, { type: "sign-in.refused", outcome: "refused", reason: "changed", ...metadata });
    default:
      return assertNever(result);
  }
}
