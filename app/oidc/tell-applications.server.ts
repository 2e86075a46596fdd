import type { Logger } from "pino";
import { describeError } from "#app/domain/audit/describe-error.server.ts";
import type { EndedSession } from "#app/domain/session/end.server.ts";
import type { Oidc } from "./oidc.server.ts";

/**
 * Tells applications that want to know it that sessions are over (OpenID Connect Back-Channel Logout 1.0). For after the
 * answer: an application may be slow. One that does not answer is noted in the log.
 */
export async function tellApplications(
  { oidc, log }: { oidc: Oidc; log: Logger },
  ended: readonly EndedSession[],
): Promise<void> {
  const provider = await oidc.provider();
  await Promise.all(
    ended.map(async ({ userId, clientId, sid }) => {
      const facts = { event: "backchannel-logout.failed", outcome: "failed", userId, clientId };
      try {
        const client = await provider.Client.find(clientId);
        // The engine's types do not know this method of its client.
        const tell: unknown = client?.backchannelLogout;
        if (client?.backchannelLogoutUri && typeof tell === "function")
          await Reflect.apply(tell, client, [userId, sid]);
      } catch (error) {
        log.warn({ ...facts, ...describeError(error) }, "backchannel-logout.failed");
      }
    }),
  );
}
