import { errors, Provider } from "oidc-provider";
import { consumeRefreshToken } from "#app/db/repositories/oidc-records.server.ts";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";
import {
  createSuccessor,
  findSuccessor,
  REFRESH_REPEATED,
  type SuccessorDeps,
} from "#app/oidc/refresh-successor.server.ts";
import type { Replace } from "./patch.server.ts";
import { revokeGrant } from "./single-use.server.ts";

type RefreshToken = InstanceType<Provider["RefreshToken"]>;

/** Successors of the tokens that a request has read. */
const successors = new WeakMap<object, string>();

/** `RefreshToken.find`: a token that may be repeated counts as unused. */
export const findRepeatableToken: Replace =
  (original, deps) =>
  async (value: string, options?: object): Promise<unknown> => {
    const { RefreshToken } = deps.provider;
    const token = await original(RefreshToken, value, options);
    if (!(token instanceof RefreshToken)) return token;
    const isRefresh = Provider.ctx?.oidc.route === "token";
    // oidc-provider revokes the family of a consumed token.
    if (token.consumed && isRefresh && (await mayRepeat(deps, token, value))) {
      Object.assign(token, { consumed: undefined });
    }
    return token;
  };

/** `RefreshToken.consume`: consumes a token and stores its sealed successor, or repeats an earlier refresh. */
export const consumeForSuccessor: Replace = (_original, deps) =>
  async function (this: RefreshToken): Promise<void> {
    const { provider, store, clock } = deps;
    if (!successors.has(this)) {
      const { successor, sealedSuccessor } = await createSuccessor(deps, this.jti);
      if (await consumeRefreshToken(store, hashToken(this.jti), { now: clock.now(), sealedSuccessor })) {
        successors.set(this, successor);
        this.emit("consumed");
        return;
      }
      if (!(await mayRepeat(deps, this, this.jti))) {
        await revokeGrant(store, provider, this.grantId);
        throw new errors.InvalidGrant("refresh token already used");
      }
    }
    provider.emit(REFRESH_REPEATED, Provider.ctx);
  };

/** `RefreshToken.save`: the token that replaces a rotated one is its successor. */
export const saveAsSuccessor: Replace = (original) =>
  async function (this: RefreshToken): Promise<unknown> {
    const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken;
    const successor = rotated && successors.get(rotated);
    if (successor !== undefined && !this.jti) this.jti = successor;
    return original(this);
  };

async function mayRepeat(deps: SuccessorDeps, token: RefreshToken, value: string): Promise<boolean> {
  const successor = await findSuccessor(deps, token, value);
  if (successor !== null) successors.set(token, successor);
  return successor !== null;
}
