import { z } from "zod";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { ownIssuer } from "#app/config/address-values.server.ts";
import type { BaseContext } from "#app/context.server.ts";
import { listClients } from "#app/db/repositories/clients.server.ts";
import { type BoundKey, listKeysOfOtherRp } from "#app/db/repositories/security-key-owners.server.ts";
import { findScope } from "#app/domain/scope/scopes.ts";

/** A change that is thought of: what is not named stays. `scopes` are all that would be left. */
export type Plan = { issuer: string | null; rpId: string | null; scopes: string[] | null };

/** One thing that a change would break, and what to do about it. */
export type Break = { kind: "person" | "client" | "installation"; name: string; breaks: string; fix: string };

const FORM = "Say --plan issuer=https://login.example.com, rpId=login.example.com or scopes=openid,profile,….";
const hostSchema = z.string().regex(/^[a-z0-9.-]{1,253}$/);

/** Reads what is typed after --plan: NAME=VALUE, several of them. Throws CommandError (usage). */
export function parsePlan(parts: readonly string[]): Plan {
  const plan: Plan = { issuer: null, rpId: null, scopes: null };
  for (const part of parts) {
    const [, name, value = ""] = /^(issuer|rpId|scopes)=(.+)$/.exec(part) ?? [];
    if (name === "issuer" && ownIssuer().safeParse(value).success) plan.issuer = value;
    else if (name === "rpId" && hostSchema.safeParse(value).success) plan.rpId = value;
    else if (name === "scopes") plan.scopes = value.split(",");
    else throw new CommandError(EXIT.usage, [`This is no change that can be planned: ${part.slice(0, 100)}`, FORM]);
  }
  const unknown = plan.scopes?.filter((scope) => findScope(scope) === null) ?? [];
  if (unknown.length > 0) throw new CommandError(EXIT.usage, [`There is no scope ${unknown.join(", ")}.`, FORM]);
  return plan;
}

/** Everything that the change would break, people first. Changes nothing. */
export async function findBreaks(context: BaseContext, plan: Plan): Promise<Break[]> {
  const { config } = context;
  const issuer = plan.issuer === config.issuer ? null : plan.issuer;
  const rpId = plan.rpId ?? (issuer === null ? null : new URL(issuer).hostname);
  return [
    ...(rpId === null ? [] : (await listKeysOfOtherRp(context.store, rpId)).map((key) => lostKey(key, rpId))),
    ...(issuer === null ? [] : await movedClients(context, issuer)),
    ...(issuer === null ? [] : movedProviders(context, issuer)),
    ...(plan.scopes === null ? [] : await lostScopes(context, plan.scopes)),
  ];
}

function lostKey({ username, keyName, rpId: bound, hasTotp }: BoundKey, rpId: string): Break {
  return {
    kind: "person",
    name: username,
    breaks: `the security key "${keyName}" is bound to ${bound} and works no more under ${rpId}`,
    fix: hasTotp
      ? "Signs in with the authenticator app, and registers the key again."
      : `Needs recovery codes, or a link: gatehouse user link ${username} --mfa-reset.`,
  };
}

async function movedClients({ store, config }: BaseContext, issuer: string): Promise<Break[]> {
  const clients = await listClients(store);
  return clients.map(({ id, name }) => ({
    kind: "client",
    name: id,
    breaks: `${name} knows ${config.issuer} as its issuer, and refuses tokens of ${issuer}`,
    fix: "Set its issuer to the new one at the same moment.",
  }));
}

function movedProviders({ config }: BaseContext, issuer: string): Break[] {
  const { google, microsoft, apple } = config;
  const configured = Object.entries({ google, microsoft, apple }).filter(([, one]) => one !== null);
  return configured.map(([provider]) => ({
    kind: "installation",
    name: provider,
    breaks: `the provider sends people back to ${config.issuer}`,
    fix: `Register ${issuer}/login/${provider}/callback there before.`,
  }));
}

async function lostScopes({ store }: BaseContext, left: readonly string[]): Promise<Break[]> {
  return (await listClients(store)).flatMap(({ id, scopes }) => {
    const lost = scopes.filter((scope) => !left.includes(scope));
    if (lost.length === 0) return [];
    return [
      {
        kind: "client" as const,
        name: id,
        breaks: `it may ask for ${lost.join(", ")}: such a request ends at our page instead of the application`,
        fix: `gatehouse client set ${id} ${scopes
          .filter((scope) => left.includes(scope))
          .map((scope) => `--scope ${scope}`)
          .join(" ")}`,
      },
    ];
  });
}
