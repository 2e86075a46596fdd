import { describe, expect, it } from "vitest";
import { findScope, refusedClaims, refusedScopes, SCOPES, scopesOfClaims } from "#app/domain/scope/scopes.ts";

describe("scopes", () => {
  it("are found by their exact id", () => {
    for (const scope of SCOPES) expect(findScope(scope.id)).toBe(scope);
    for (const id of ["", "OpenID", "openid ", "__proto__", "toString"]) expect(findScope(id)).toBeNull();
  });

  it("are refused if they are unknown or not registered for the client, except openid", () => {
    const requested = ["openid", "email", "phone", "emails", "__proto__"];
    expect(refusedScopes(requested, ["email"])).toEqual(["phone", "emails", "__proto__"]);
    // The registration of a client may name a scope that no longer exists.
    expect(refusedScopes(["former"], ["former"])).toEqual(["former"]);
  });

  it("release each claim once: two scopes never share one", () => {
    const claims = SCOPES.flatMap((scope) => scope.claims);
    expect(claims).toEqual([...new Set(claims)]);
  });
});

describe("a requested claim", () => {
  it("is refused unless the client may request a scope that releases it", () => {
    expect(refusedClaims(["email", "phone_number"], ["email"])).toEqual(["phone_number"]);
  });

  it("is not refused if no scope releases it, or openid, which every client may request", () => {
    expect(refusedClaims(["shoe_size", "sub", "auth_time"], [])).toEqual([]);
  });

  it("asks for the consent of its scope, but never for that of openid", () => {
    expect(scopesOfClaims(["email_verified", "picture", "sub", "shoe_size"])).toEqual(["profile", "email"]);
  });
});
