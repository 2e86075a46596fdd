/** Names of the line icons that stand beside a scope on the consent page. */
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

export type ScopeIcon = (typeof SCOPE_ICONS)[number];

/** One scope: its id on the wire, its icon, and the claims it opens at userinfo. Its text is in locales/<language>/scopes.json. */
export type Scope = { id: string; icon: ScopeIcon; claims: readonly string[] };

/**
 * Every scope the product knows, in the order of the consent page.
 * OpenID Connect Core 1.0 section 5.4 for the standard ones; the others belong to the modules of the work suite.
 */
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

/** The scope with this id, or null when the product does not know it. */
export function findScope(id: string): Scope | null {
  return KNOWN.get(id) ?? null;
}

/**
 * The requested scopes that a client may not have: unknown to the product, or not on the client's list.
 * @param requested ids as the application asked for them
 * @param allowed the client's registered scopes; `openid` is always allowed
 */
export function refusedScopes(requested: readonly string[], allowed: readonly string[]): string[] {
  return requested.filter((id) => !KNOWN.has(id) || (id !== "openid" && !allowed.includes(id)));
}

/** The single claims that a client may not have, because none of its scopes opens them (OpenID Connect Core 1.0 section 5.5). */
export function refusedClaims(claims: readonly string[], allowed: readonly string[]): string[] {
  return claims.filter((claim) => {
    const scopes = scopesOfClaims([claim]);
    return scopes.length > 0 && !scopes.some((id) => allowed.includes(id));
  });
}

/** The ids of the scopes that open at least one of these claims; claims that every sign-in carries open none. */
export function scopesOfClaims(claims: readonly string[]): string[] {
  return SCOPES.filter((scope) => scope.id !== "openid" && scope.claims.some((claim) => claims.includes(claim))).map(
    (scope) => scope.id,
  );
}
