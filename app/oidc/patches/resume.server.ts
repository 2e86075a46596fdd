import { errors, type Interaction, Provider } from "oidc-provider";
import { recheckRedirectUriOfErrors, refuseUsed, requireResumable } from "#app/oidc/resume.server.ts";
import type { Replace } from "./patch.server.ts";

/** `Interaction.find`: when a request is resumed, refuses all but the browser that completed it. */
export const requireBrowserOfInteraction: Replace =
  (original, deps) =>
  async (uid: string, options?: object): Promise<unknown> => {
    const interaction = await original(deps.provider.Interaction, uid, options);
    const ctx = Provider.ctx;
    if (ctx?.oidc.route !== "resume") return interaction;
    recheckRedirectUriOfErrors(ctx);
    await requireResumable(deps, ctx, uid, interaction instanceof deps.provider.Interaction ? interaction : null);
    return interaction;
  };

/** `Interaction.destroy`: refuses the slower of two requests that resume one interaction at once. */
export const resumeOnce: Replace = (original, deps) =>
  async function (this: Interaction): Promise<void> {
    const ctx = Provider.ctx;
    try {
      await original(this);
    } catch (error) {
      if (!(error instanceof errors.SessionNotFound) || ctx?.oidc.route !== "resume") throw error;
      throw refuseUsed(deps, ctx, this.uid, error.message);
    }
  };
