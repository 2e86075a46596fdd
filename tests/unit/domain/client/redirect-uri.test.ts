// Proves requirement 79.
import { describe, expect, it } from "vitest";
import { redirectUriKind } from "#app/domain/client/redirect-uri.ts";

describe("redirect URIs", () => {
  it.each([
    ["https://app.example/callback", "web"],
    ["https://app.example:8443/callback?tenant=1", "web"],
    ["http://localhost:3001/callback", "web"],
    ["http://127.0.0.1/callback", "loopback"],
    ["http://[::1]:8000/callback", "loopback"],
    ["com.example.app:/callback", "private-use"],
    ["com.example.app://callback", "private-use"],
  ])("%s is %s", (uri, kind) => {
    expect(redirectUriKind(uri)).toBe(kind);
  });

  it.each([
    "http://app.example/callback",
    "http://localhost.example/callback",
    "http://127.0.0.2/callback",
    "https://app.example/callback#fragment",
    "https://app.example/*",
    "https://*.app.example/",
    "https://anna:secret@app.example/",
    "https:app.example/callback",
    "HTTPS://app.example/callback",
    " https://app.example/callback",
    "https://app.example\\@evil.example/",
    "javascript:alert(1)",
    "data:text/html,hello",
    "myapp:/callback",
    "file:///etc/passwd",
    "/callback",
    "",
    `https://app.example/${"x".repeat(2000)}`,
  ])("%s is refused", (uri) => {
    expect(redirectUriKind(uri)).toBeNull();
  });
});
