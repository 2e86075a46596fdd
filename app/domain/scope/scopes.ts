/** Names of the icons on the consent page. */
const SCOPE_ICONS = [
  "key",
  "badge",
  "clock",
  "person",
  "people",
  "house",
  "envelope",
  "phone",
  "shield",
  "globe",
  "folder",
  "tray",
  "layers",
  "bell",
  "chart",
  "plug",
  "gauge",
  "checkbox",
  "clipboard",
  "speech",
  "pulse",
  "umbrella",
  "share",
  "paw",
  "card",
  "arrows",
  "list",
  "megaphone",
] as const;

/** Name of an icon on the consent page. */
export type ScopeIcon = (typeof SCOPE_ICONS)[number];

/**
 * A scope: its id, its icon, and the claims it releases at userinfo. `isModule`: it opens a module of the product, not
 * data of the account. Its text is in locales/<language>/scopes.json.
 */
type Scope = { id: string; icon: ScopeIcon; claims: readonly string[]; isModule?: true };

/** All scopes in the order of the consent page: those of OpenID Connect Core 1.0 (§5.4, §11) and our own. */
export const SCOPES = [
  { id: "openid", icon: "key", claims: ["sub", "acr", "amr", "auth_time"] },
  { id: "id", icon: "badge", claims: ["user_id", "group"] },
  {
    id: "profile",
    icon: "person",
    claims: ["name", "given_name", "family_name", "preferred_username", "picture", "locale", "updated_at"],
  },
  { id: "email", icon: "envelope", claims: ["email", "email_verified"] },
  { id: "phone", icon: "phone", claims: ["phone_number", "phone_number_verified"] },
  { id: "address", icon: "house", claims: ["address"] },
  { id: "permissions", icon: "shield", claims: ["permissions"] },
  { id: "groups", icon: "people", claims: ["groups"] },
  { id: "staff_web_service", icon: "globe", claims: [], isModule: true },
  { id: "stocks", icon: "folder", claims: [], isModule: true },
  { id: "imports", icon: "tray", claims: [], isModule: true },
  { id: "bulk_updates", icon: "layers", claims: [], isModule: true },
  { id: "bipro_subscriptions", icon: "bell", claims: [], isModule: true },
  { id: "reports", icon: "chart", claims: [], isModule: true },
  { id: "integrations", icon: "plug", claims: [], isModule: true },
  { id: "dashboard", icon: "gauge", claims: [], isModule: true },
  { id: "checkbox_documents", icon: "checkbox", claims: [], isModule: true },
  { id: "orders", icon: "clipboard", claims: [], isModule: true },
  { id: "customer_contact_history", icon: "speech", claims: [], isModule: true },
  { id: "activities", icon: "pulse", claims: [], isModule: true },
  { id: "claims", icon: "umbrella", claims: [], isModule: true },
  { id: "shares", icon: "share", claims: [], isModule: true },
  { id: "panda", icon: "paw", claims: [], isModule: true },
  { id: "simplr_accounts", icon: "card", claims: [], isModule: true },
  { id: "portfolio_transfer", icon: "arrows", claims: [], isModule: true },
  { id: "tasks", icon: "list", claims: [], isModule: true },
  { id: "promotions", icon: "megaphone", claims: [], isModule: true },
  { id: "offline", icon: "clock", claims: [] },
  { id: "offline_access", icon: "clock", claims: [] },
] as const satisfies readonly Scope[];

const KNOWN: ReadonlyMap<string, Scope> = new Map(SCOPES.map((scope) => [scope.id, scope]));

/** Returns the scope with this id, or null. */
export function findScope(id: string): Scope | null {
  return KNOWN.get(id) ?? null;
}

/**
 * Returns the requested scopes that are unknown or not allowed for the client.
 * @param allowed the client's registered scopes; `openid` is always allowed
 */
export function refusedScopes(requested: readonly string[], allowed: readonly string[]): string[] {
  return requested.filter((id) => !KNOWN.has(id) || (id !== "openid" && !allowed.includes(id)));
}

/** Returns the requested claims that no allowed scope releases (OpenID Connect Core 1.0 §5.5). */
export function refusedClaims(claims: readonly string[], allowed: readonly string[]): string[] {
  return claims.filter((claim) => {
    const scopes = scopesOfClaims([claim]);
    return scopes.length > 0 && !scopes.some((id) => allowed.includes(id));
  });
}

/** Returns the ids of the scopes that release at least one of these claims, except `openid`. */
export function scopesOfClaims(claims: readonly string[]): string[] {
  return SCOPES.filter((scope) => scope.id !== "openid" && scope.claims.some((claim) => claims.includes(claim))).map(
    (scope) => scope.id,
  );
}
