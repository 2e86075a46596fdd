import type { IncomingMessage } from "node:http";
import { errors, type Interaction, type KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Store } from "#app/db/store.server.ts";
import type { Secrets } from "#app/domain/secret/secrets.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import type { Clock } from "#app/ports.ts";
import { interactionUrl } from "./interaction-url.server.ts";
import { findKeptRequest } from "./kept-interaction.server.ts";
import { sealChallenge } from "./seal.server.ts";

/** What resuming needs; `browserOf` gives the browser cookie of a request. */
export type ResumeDeps = {
  store: Store;
  clock: Clock;
  secrets: Secrets;
  browserOf: (request: IncomingMessage) => string;
};

/** A request to resume (`/oauth2/auth/:uid`) that does not go on; `location` is the page that says why. */
export class ResumeRefused extends errors.OIDCProviderError {
  readonly location: string;
  // The answer stays here, whatever the address of the request names.
  override readonly allow_redirect = false;

  constructor(description: string, location: string) {
    super(400, "invalid_request", { detail: description });
    this.location = location;
  }
}

/**
 * Makes the engine resume an answered interaction once, and only in the browser whose cookie came with the answer: the
 * engine itself compares the resume cookie alone, which another host of the same domain can set. The engine has no hook at
 * this point, hence the model's own methods are wrapped (docs/decisions/025-one-answer-per-request.md).
 */
export function guardResume(provider: Provider, deps: ResumeDeps): void {
  const { Interaction } = provider;
  const { find } = Interaction;
  const { destroy } = Interaction.prototype;

  Object.defineProperty(Interaction, "find", {
    value: async (uid: string, options?: object) => {
      const interaction = await find.call(Interaction, uid, options);
      const ctx = Provider.ctx;
      if (ctx?.oidc.route !== "resume") return interaction;
      if (!(interaction instanceof Interaction)) {
        const location = await findUsedPage(deps, ctx, uid);
        if (location) throw refuse(ctx, "the request was answered and resumed before", location);
        return interaction;
      }
      const { result } = interaction;
      // Only an answer can be resumed: the engine would finish the interaction and open another one in its place.
      if (!result) throw refuse(ctx, "the request was not answered", openPage(deps, ctx, interaction));
      if (result.browserHash !== hashToken(deps.browserOf(ctx.req))) {
        throw refuse(ctx, "the request was answered in another browser", pageOf(deps, uid, NO_BROWSER));
      }
      return interaction;
    },
  });

  Object.defineProperty(Interaction.prototype, "destroy", {
    async value(this: InstanceType<typeof Interaction>) {
      const ctx = Provider.ctx;
      try {
        await destroy.call(this);
      } catch (error) {
        if (!(error instanceof errors.SessionNotFound) || ctx?.oidc.route !== "resume") throw error;
        throw refuse(ctx, error.message, pageOf(deps, this.uid, deps.browserOf(ctx.req)));
      }
    },
  });
}

/** The page of an interaction that this browser answered and finished; null for any other interaction. */
export async function findUsedPage(deps: ResumeDeps, ctx: KoaContextWithOIDC, uid: string): Promise<string | null> {
  const browser = deps.browserOf(ctx.req);
  const kept = await findKeptRequest(deps, uid);
  return kept?.used && kept.browserHash === hashToken(browser) ? pageOf(deps, uid, browser) : null;
}

/**
 * The page of an interaction that nobody answered. The resume cookie, which another host can set, does not prove that this
 * browser opened it; but without an earlier sign-in it is worth no more than a link to the same request.
 */
function openPage(deps: ResumeDeps, ctx: KoaContextWithOIDC, interaction: Interaction): string {
  const { uid, session, lastSubmission } = interaction;
  const isOwn = session ? session.uid === ctx.oidc.session?.uid : !lastSubmission;
  return isOwn ? interactionUrl(deps, ctx, interaction) : pageOf(deps, uid, NO_BROWSER);
}

/** No browser has this cookie: the challenge is a foreign one everywhere. */
const NO_BROWSER = "";

function refuse(ctx: KoaContextWithOIDC, description: string, location: string): ResumeRefused {
  // The engine neither saves a destroyed session nor sets its cookie: both belong to the request that was first.
  if (ctx.oidc.session) Reflect.set(ctx.oidc.session, "destroyed", true);
  return new ResumeRefused(description, location);
}

function pageOf({ secrets }: ResumeDeps, uid: string, browser: string): string {
  return `/login?${new URLSearchParams({ login_challenge: sealChallenge(secrets, { kind: "login", uid, browser }) })}`;
}
