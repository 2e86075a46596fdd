import { z } from "zod";
import { CommandError, EXIT } from "#app/cli/output/command-error.ts";
import { ownIssuer } from "#app/config/address-values.server.ts";
import { PROVIDERS } from "#app/config/providers.ts";
import type { BaseContext } from "#app/context.server.ts";
import { listClients } from "#app/db/repositories/clients.server.ts";
import { type BoundKey, listKeysOfOtherRp } from "#app/db/repositories/webauthn-credentials.server.ts";
import { findScope } from "#app/domain/scope/scopes.ts";

/** A planned change; null means unchanged. `scopes` lists all remaining scopes. */
type Plan = { issuer: string | null; rpId: string | null; scopes: string[] | null };

/** A user, client or provider that a change would affect, and the solution. */
export type Break = { kind: "person" | "client" | "installation"; name: string; breaks: string; fix: string };

const USAGE = "Use --plan issuer=https://login.example.com, rpId=login.example.com or scopes=openid,profile,…";
const hostSchema = z.string().regex(/^[a-z0-9.-]{1,253}$/);

/** Parses the values of --plan, each NAME=VALUE. Throws CommandError (usage). */
export function parsePlan(assignments: readonly string[]): Plan {
  const plan: Plan = { issuer: null, rpId: null, scopes: null };
  for (const assignment of assignments) {
    const [, name, value = ""] = /^(issuer|rpId|scopes)=(.+)$/.exec(assignment) ?? [];
    if (name === "issuer" && ownIssuer().safeParse(value).success) plan.issuer = value;
    else if (name === "rpId" && hostSchema.safeParse(value).success) plan.rpId = value;
    else if (name === "scopes") plan.scopes = value.split(",");
    else throw new CommandError(EXIT.usage, [`Unknown value of --plan: ${assignment.slice(0, 100)}`, USAGE]);
  }
  const unknown = plan.scopes?.filter((scope) => findScope(scope) === null) ?? [];
  if (unknown.length > 0) throw new CommandError(EXIT.usage, [`There is no scope ${unknown.join(", ")}.`, USAGE]);
  return plan;
}

/** Finds everything that the change would break, users first. Changes nothing. */
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
    breaks: `the security key "${keyName}" is bound to ${bound} and would not work on ${rpId}`,
    fix: hasTotp
      ? "The user signs in with the authenticator app and registers the key again."
      : `The user needs recovery codes, or a link: gatehouse user link ${username} --mfa-reset`,
  };
}

async function movedClients({ store, config }: BaseContext, issuer: string): Promise<Break[]> {
  const clients = await listClients(store);
  return clients.map(({ id, name }) => ({
    kind: "client",
    name: id,
    breaks: `${name} is configured for the issuer ${config.issuer} and would reject tokens of ${issuer}`,
    fix: "Change the issuer in the client's configuration at the same time.",
  }));
}

function movedProviders({ config }: BaseContext, issuer: string): Break[] {
  const configured = PROVIDERS.filter((provider) => config[provider] !== null);
  return configured.map((provider) => ({
    kind: "installation",
    name: provider,
    breaks: `the provider redirects to ${config.issuer}`,
    fix: `Register ${issuer}/login/${provider}/callback at the provider first.`,
  }));
}

async function lostScopes({ store }: BaseContext, remaining: readonly string[]): Promise<Break[]> {
  return (await listClients(store)).flatMap(({ id, scopes }) => {
    const lost = scopes.filter((scope) => !remaining.includes(scope));
    if (lost.length === 0) return [];
    return [
      {
        kind: "client" as const,
        name: id,
        breaks: `it requests ${lost.join(", ")}: such requests would end with an error page of Gatehouse`,
        fix: `gatehouse client set ${id} ${scopes
          .filter((scope) => remaining.includes(scope))
          .map((scope) => `--scope ${scope}`)
          .join(" ")}`,
      },
    ];
  });
}
