import { describe, expect, it } from "vitest";
import { formTargetOf } from "#app/middleware/load-context.server.ts";

describe("a form target", () => {
  it.each([
    ["https://app.example/callback?code=1#x", "https://app.example"],
    ["https://app.example:8443/", "https://app.example:8443"],
    ["http://127.0.0.1:51004/callback", "http://127.0.0.1:51004"],
    ["https://M\u00dcLLER.example/", "https://xn--mller-kva.example"],
    ["com.example.app:/callback", "com.example.app:"],
    ["com.example.app://callback", "com.example.app:"],
    // CSP's grammar has no IPv6 addresses.
    ["http://[::1]:3000/callback", "http:"],
  ])("%s is allowed as %s", (uri, source) => {
    expect(formTargetOf(uri)).toBe(source);
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "blob:https://app.example/1",
    "file:///etc/passwd",
    "/callback",
    "",
    "https://",
    "https://a;script-src.example/",
    "https://a,b.example/",
    "https://'unsafe-inline'/",
    "https://*.example/",
  ])("%s is not allowed", (uri) => {
    expect(formTargetOf(uri)).toBeNull();
  });
});
