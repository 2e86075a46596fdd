import type { Provider } from "oidc-provider";
import type { ResumeDeps } from "#app/oidc/resume.server.ts";

/** Dependencies of the replacements. */
export type PatchDeps = ResumeDeps & { provider: Provider };

/** Calls the replaced method with `self` as `this`. */
export type Original = (self: object, ...args: unknown[]) => unknown;

/** Method that takes the place of oidc-provider's. `this` is the record, or the model of a static method. */
type Replacement = (this: never, ...args: never[]) => unknown;

/** Creates a replacement, which may call the original. */
export type Replace = (original: Original, deps: PatchDeps) => Replacement;

/** A member of a model of oidc-provider that is replaced. */
export type Patch = {
  /** The promise that the replacement keeps. */
  name: string;
  /** Path of the member, starting at the provider: `Session.find` is static, `Session.prototype.save` is not. */
  member: string;
  /** Number of parameters that the original declares; 0 for a getter and for rest parameters. */
  parameters: number;
  /** The use of the member in oidc-provider, and why none of its hooks is enough. */
  why: string;
  /** File in docs/decisions. */
  decision: string;
  /** Test that fails without the patch, of `Interaction.destroy` on PostgreSQL only: "`file`: its name". */
  test: string;
  replace: Replace;
};

/**
 * Finds a member of oidc-provider, own or inherited.
 * @param member path as in `Patch`
 * @returns the object to define the replacement on, its name there, and the method or getter to replace
 * @throws Error if it is missing or not a function
 */
export function findMember(provider: Provider, member: string) {
  const path = member.split(".");
  const name = path.pop() ?? "";
  const owner = path.reduce<object>((value, key) => Object(Reflect.get(value, key)), provider);
  const descriptor = findDescriptor(owner, name);
  const method: unknown = descriptor?.get ?? descriptor?.value;
  if (typeof method !== "function") throw new Error(`oidc-provider has no method ${member}`);
  return { owner, name, method, isGetter: descriptor?.get !== undefined };
}

function findDescriptor(owner: object, name: string): PropertyDescriptor | undefined {
  const own = Reflect.getOwnPropertyDescriptor(owner, name);
  const parent = Reflect.getPrototypeOf(owner);
  return own ?? (parent ? findDescriptor(parent, name) : undefined);
}
