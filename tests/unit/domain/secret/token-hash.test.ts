import { expect, test } from "vitest";
import { hashToken } from "#app/domain/secret/token-hash.server.ts";

test("a token is stored as its SHA-256 in base64url", () => {
  // The digest of "abc" from FIPS 180-2, appendix B.1.
  const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(hashToken("abc")).toBe(Buffer.from(digest, "hex").toString("base64url"));
});

test("two tokens that differ in one character have unrelated hashes", () => {
  expect(hashToken("token-a")).not.toBe(hashToken("token-b"));
});
