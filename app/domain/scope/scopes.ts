/** Names of the icons on the consent page. */
export const SCOPE_ICONS = [
  "key",
  "badge",
  "clock",
  "person",
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

/** A scope: its id, its icon, and the claims it releases at userinfo. Its text is in locales/<language>/scopes.json. */
export type Scope = { id: string; icon: ScopeIcon; claims: readonly string[] };

/** All scopes in the order of the consent page: those of OpenID Connect Core 1.0 (§5.4, §11) and our own. */
export const SCOPES = [
  { id: "openid", icon: "key", claims: ["sub", "acr", "amr", "auth_time"] },
  { id: "id", icon: "badge", claims: ["user_id", "group"] },
  { id: "profile", icon: "person", claims: ["name", "preferred_username", "picture", "locale", "updated_at"] },
  { id: "email", icon: "envelope", claims: ["email", "email_verified"] },
  { id: "phone", icon: "phone", claims: ["phone_number", "phone_number_verified"] },
  { id: "address", icon: "house", claims: ["address"] },
  { id: "permissions", icon: "shield", claims: ["permissions"] },
  { id: "staff_web_service", icon: "globe", claims: [] },
  { id: "stocks", icon: "folder", claims: [] },
  { id: "imports", icon: "tray", claims: [] },
  { id: "bulk_updates", icon: "layers", claims: [] },
  { id: "bipro_subscriptions", icon: "bell", claims: [] },
  { id: "reports", icon: "chart", claims: [] },
  { id: "integrations", icon: "plug", claims: [] },
  { id: "dashboard", icon: "gauge", claims: [] },
  { id: "checkbox_documents", icon: "checkbox", claims: [] },
  { id: "orders", icon: "clipboard", claims: [] },
  { id: "customer_contact_history", icon: "speech", claims: [] },
  { id: "activities", icon: "pulse", claims: [] },
  { id: "claims", icon: "umbrella", claims: [] },
  { id: "shares", icon: "share", claims: [] },
  { id: "panda", icon: "paw", claims: [] },
  { id: "simplr_accounts", icon: "card", claims: [] },
  { id: "portfolio_transfer", icon: "arrows", claims: [] },
  { id: "tasks", icon: "list", claims: [] },
  { id: "promotions", icon: "megaphone", claims: [] },
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
