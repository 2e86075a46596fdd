import { createHash } from "node:crypto";
import type { KoaContextWithOIDC } from "oidc-provider";
import { PUBLISHED_MAX_AGE_SECONDS } from "./key-lifetimes.ts";

const ROUTES: readonly (string | undefined)[] = ["discovery", "jwks"];

/** Adds Cache-Control and ETag to the metadata and the key set; responds 304 if the client has the current document. */
export async function makeCacheable(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (!ROUTES.includes(ctx.oidc?.route) || ctx.status !== 200) return;
  ctx.set("Cache-Control", `public, max-age=${PUBLISHED_MAX_AGE_SECONDS}`);
  const etag = `"${createHash("sha256").update(JSON.stringify(ctx.body)).digest("base64url")}"`;
  ctx.set("ETag", etag);
  if (matches(ctx.get("If-None-Match"), etag)) ctx.status = 304;
}

/**
 * Compares as RFC 9110 §13.1.2. Koa's `fresh` also reads the request's Cache-Control, and Node's fetch adds `no-cache`
 * to every request with If-None-Match.
 */
function matches(ifNoneMatch: string, etag: string): boolean {
  const known = ifNoneMatch.split(",").map((value) => value.trim().replace(/^W\//, ""));
  return known.includes(etag) || known.includes("*");
}
