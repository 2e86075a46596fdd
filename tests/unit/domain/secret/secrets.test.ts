import { createHash } from "node:crypto";
import { decodeProtectedHeader } from "jose";
import { describe, expect, test } from "vitest";
import { hasCode } from "#app/domain/base/errors.ts";
import { createSecrets, type MacPurpose } from "#app/domain/secret/secrets.server.ts";
import type { SealedSecret } from "#app/ports.ts";

const OLD = "old-0123456789abcdefghijklmnopqr";
const NEW = "new-0123456789abcdefghijklmnopqr";
const old = createSecrets({ secretKeys: [OLD], epoch: 0 });
const rotated = createSecrets({ secretKeys: [NEW, OLD], epoch: 0 });
const changed = createSecrets({ secretKeys: [NEW], epoch: 0 });

const MAC_PURPOSES: MacPurpose[] = ["xsrf", "login-challenge", "consent-challenge", "cookie"];

async function refusalOf(opening: Promise<string>): Promise<{ code: boolean; message: string }> {
  const error: unknown = await opening.then(
    () => null,
    (reason) => reason,
  );
  return { code: hasCode(error, "wrong secret key"), message: String(error) };
}

describe("a MAC", () => {
  test("has 43 characters of base64url, the same for the same data", () => {
    const mac = old.mac("xsrf", "data");
    expect(mac).toMatch(/^[\w-]{43}$/);
    expect(old.mac("xsrf", "data")).toBe(mac);
    expect(old.mac("xsrf", "")).toMatch(/^[\w-]{43}$/);
  });

  // Calculated with another implementation of HKDF and HMAC, from the info texts that createSecrets documents.
  test("is the same in every version of the product", () => {
    expect(old.mac("xsrf", "data")).toBe("QTmuRd5WoHsEhi_KAWVZ72jy-ommfOn5v6xLWyEZhVE");
    expect(old.mac("login-challenge", "data")).toBe("mBlk86oVHiQgvx5u59W2o85JPh0k2e1IiUFBvpdjn-Y");
  });

  test("is valid for its own data only", () => {
    const mac = old.mac("xsrf", "data");
    expect(old.checkMac("xsrf", "data", mac)).toBe(true);
    expect(old.checkMac("xsrf", "Data", mac)).toBe(false);
    expect(old.checkMac("xsrf", "data ", mac)).toBe(false);
  });

  test.each(MAC_PURPOSES)("for %s is invalid for other purposes", (purpose) => {
    const mac = old.mac(purpose, "data");
    expect(MAC_PURPOSES.filter((other) => old.checkMac(other, "data", mac))).toEqual([purpose]);
  });

  test("of another epoch is invalid", () => {
    const restored = createSecrets({ secretKeys: [OLD], epoch: 1 });
    expect(restored.checkMac("xsrf", "data", old.mac("xsrf", "data"))).toBe(false);
    expect(old.checkMac("xsrf", "data", restored.mac("xsrf", "data"))).toBe(false);
  });

  test("of an older key is valid as long as the key is in the list", () => {
    const mac = old.mac("xsrf", "data");
    expect(rotated.checkMac("xsrf", "data", mac)).toBe(true);
    expect(changed.checkMac("xsrf", "data", mac)).toBe(false);
    expect(rotated.mac("xsrf", "data")).toBe(changed.mac("xsrf", "data"));
  });

  test("is compared exactly: no padding, no other alphabet, no extra characters", () => {
    const mac = old.mac("xsrf", "data");
    const forged = [
      "",
      "=",
      `${mac}=`,
      `${mac}\n`,
      ` ${mac}`,
      mac.slice(0, -1),
      mac.toUpperCase(),
      "A".repeat(43),
      "ä".repeat(43),
    ];
    // The last character has two unused bits: its successor decodes to the same bytes.
    const last = String.fromCharCode(mac.charCodeAt(42) + 1);
    for (const wrong of [...forged, mac.slice(0, 42) + last]) {
      expect(old.checkMac("xsrf", "data", wrong)).toBe(false);
    }
  });
});

describe("a sealed value", () => {
  test("decrypts to its plaintext, whatever it contains", async () => {
    for (const text of ["", "JBSWY3DPEHPK3PXP", "ä🔑\u0000\n", "x".repeat(10_000)]) {
      expect(await old.open("totp", await old.seal("totp", text))).toBe(text);
    }
  });

  test("of an earlier version of the product can be decrypted", async () => {
    const stored =
      "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiODE5MDM2ZWU5MWQzZmM1MCJ9" +
      "..TTOy5PPf6WtpP7A3.a5WXeyZgM5jEypC4DsJVUQ.o5EtGHIMAgKJmPOWLFQN6A";
    expect(await rotated.open("totp", unsafeSealed(stored))).toBe("JBSWY3DPEHPK3PXP");
  });

  test("reveals nothing of the text and differs every time", async () => {
    const [one, two] = [await old.seal("totp", "JBSWY3DPEHPK3PXP"), await old.seal("totp", "JBSWY3DPEHPK3PXP")];
    expect(one).not.toBe(two);
    expect(Buffer.from(one, "base64url").toString("latin1") + one).not.toContain("JBSWY3DPEHPK3PXP");
  });

  test("contains the fingerprint of its key, and nothing else of the key", async () => {
    const header = decodeProtectedHeader(await rotated.seal("totp", "text"));
    expect(header).toEqual({ alg: "dir", enc: "A256GCM", kid: changed.fingerprint });
  });

  test("can be decrypted after a key rotation, and after a restore incremented the epoch", async () => {
    const sealed = await old.seal("signing-key", "text");
    expect(await rotated.open("signing-key", sealed)).toBe("text");
    expect(await createSecrets({ secretKeys: [OLD], epoch: 7 }).open("signing-key", sealed)).toBe("text");
  });

  test("without its key in the list is refused, naming the key's fingerprint, never the key", async () => {
    const refusal = await refusalOf(changed.open("totp", await old.seal("totp", "the text")));
    expect(refusal.code).toBe(true);
    expect(refusal.message).toContain(old.fingerprint);
    for (const secret of [OLD, NEW, "the text"]) {
      expect(refusal.message).not.toContain(secret);
    }
  });

  test("cannot be decrypted for another purpose", async () => {
    const refusal = await refusalOf(old.open("client-secret", await old.seal("totp", "text")));
    expect(refusal).toMatchObject({ code: true });
  });

  test("that was altered in any part is refused", async () => {
    const sealed = await old.seal("totp", "text");
    for (const place of [0, 2, 3, 4]) {
      const deps = sealed.split(".").map((part, index) => (index === place ? flipFirst(part) : part));
      expect(await refusalOf(old.open("totp", unsafeSealed(deps.join("."))))).toMatchObject({ code: true });
    }
    for (const broken of ["", "text", "....", sealed.slice(1), `${sealed}.x`]) {
      expect(await refusalOf(old.open("totp", unsafeSealed(broken)))).toMatchObject({ code: true });
    }
  });
});

describe("the fingerprint", () => {
  test("has 16 hex digits of the newest key, in every epoch", () => {
    expect(old.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(rotated.fingerprint).toBe(changed.fingerprint);
    expect(createSecrets({ secretKeys: [OLD], epoch: 3 }).fingerprint).toBe(old.fingerprint);
    expect(old.fingerprint).not.toBe(changed.fingerprint);
  });

  test("is the same in every version of the product", () => {
    expect(old.fingerprint).toBe("819036ee91d3fc50");
  });

  test("is not a plain hash of the key", () => {
    expect(createHash("sha256").update(OLD).digest("hex")).not.toContain(old.fingerprint);
  });
});

describe("cookie keys", () => {
  test("are in the order of the list and change with the epoch", () => {
    expect(rotated.cookieKeys).toEqual([...changed.cookieKeys, ...old.cookieKeys]);
    expect(createSecrets({ secretKeys: [OLD], epoch: 1 }).cookieKeys).not.toEqual(old.cookieKeys);
  });

  test("are the same in every version of the product, so that sessions survive an upgrade", () => {
    expect(old.cookieKeys).toEqual(["Qq710AZoDJVQfyrUrSs_Ol2bY575IKqGRzvObo6fTKk"]);
  });

  test("have 256 bits and are not the secret key", () => {
    expect(old.cookieKeys).toHaveLength(1);
    expect(old.cookieKeys[0]).toMatch(/^[\w-]{43}$/);
  });
});

test("the secrets object contains no printable key", () => {
  expect(JSON.stringify({ ...old, cookieKeys: [] })).toBe(
    JSON.stringify({ fingerprint: old.fingerprint, cookieKeys: [] }),
  );
});

test("creating secrets without a key fails", () => {
  expect(() => createSecrets({ secretKeys: [], epoch: 0 })).toThrow("SECRET_KEYS is empty");
});

function flipFirst(part: string): string {
  return (part.startsWith("A") ? "B" : "A") + part.slice(1);
}

// Returns the value of a damaged row: typed as sealed, but invalid.
function unsafeSealed(text: string): SealedSecret {
  const isAssumed = (_value: string): _value is SealedSecret => true;
  if (!isAssumed(text)) throw new Error("unreachable");
  return text;
}
