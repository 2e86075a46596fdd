import { Provider } from "oidc-provider";
import type { Replace } from "./patch.server.ts";

type Session = InstanceType<Provider["Session"]>;

/** Creates a replacement of `IN_PAYLOAD`, the list of a model's stored properties, that also contains `names`. */
export function addToPayload(names: readonly string[]): Replace {
  return (original) => {
    let properties: readonly unknown[] | null = null;
    return function (this: object) {
      properties ??= [original(this), names].flat();
      return properties;
    };
  };
}

/**
 * `Session.loginAccount`: makes a session take the times of the resumed sign-in: its start, and no auth_time if that is
 * unknown. It saves the session even if the request fails later.
 */
export const applySignInTimes: Replace = (original) =>
  function (this: Session, details: { loginTs?: number }): void {
    original(this, details);
    const signedInAt = Provider.ctx?.oidc.entities.Interaction?.result?.login?.signedInAt;
    if (typeof signedInAt === "number") Object.assign(this, { signedInAt });
    if (details.loginTs === undefined) delete this.loginTs;
  };
