import { ScureBase32Plugin } from "otplib";
import { describe, expect, it } from "vitest";
import { newSecret, otpauthUri } from "#app/domain/totp/set-up.server.ts";
import { addWrongStep, checkTotp, NEVER_USED, STEP_SECONDS } from "#app/domain/totp/verify.server.ts";
import { random } from "#tests/unit/domain/fixtures.ts";

// RFC 6238 appendix B, SHA-1; the last six of eight digits.
const secretBase32 = new ScureBase32Plugin().encode(Buffer.from("12345678901234567890"));
const VECTORS = [
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
] as const;
const unused = { lastStep: NEVER_USED, wrongSteps: [] };

function checkAt(seconds: number, code: string, used: Parameters<typeof checkTotp>[1] = unused) {
  return checkTotp({ secretBase32, code, now: new Date(seconds * 1000) }, used);
}

describe("a code of the authenticator app", () => {
  it.each(VECTORS)("at %i seconds is %s (test vectors of RFC 6238)", async (seconds, code) => {
    expect(await checkAt(seconds, code)).toEqual({ kind: "right", step: Math.floor(seconds / STEP_SECONDS) });
  });

  const [, [, code]] = VECTORS;
  const begin = Math.floor(1_111_111_109 / STEP_SECONDS) * STEP_SECONDS;
  const step = begin / STEP_SECONDS;

  it("is accepted from one step before its own to one step after it, to the second", async () => {
    for (const seconds of [begin - 30, begin, begin + 29, begin + 59]) {
      expect(await checkAt(seconds, code)).toEqual({ kind: "right", step });
    }
    expect(await checkAt(begin - 31, code)).toEqual({ kind: "off", step, offset: 2 });
    expect(await checkAt(begin + 60, code)).toEqual({ kind: "off", step, offset: -2 });
  });

  it("is searched ten steps each way, and no further", async () => {
    expect(await checkAt(begin - 300, code)).toEqual({ kind: "off", step, offset: 10 });
    expect(await checkAt(begin + 300, code)).toEqual({ kind: "off", step, offset: -10 });
    expect(await checkAt(begin - 301, code)).toEqual({ kind: "wrong" });
    expect(await checkAt(begin + 330, code)).toEqual({ kind: "wrong" });
  });

  it("is used if its step, or a later one, was accepted, or was seen with a wrong clock", async () => {
    expect(await checkAt(begin, code, { ...unused, lastStep: step })).toEqual({ kind: "used" });
    expect(await checkAt(begin, code, { ...unused, lastStep: step + 1 })).toEqual({ kind: "used" });
    expect(await checkAt(begin, code, { ...unused, lastStep: step - 1 })).toMatchObject({ kind: "right" });
    expect(await checkAt(begin + 90, code, { ...unused, lastStep: step })).toEqual({ kind: "used" });
    const wrongSteps = [{ step, offset: 3 }];
    expect(await checkAt(begin, code, { ...unused, wrongSteps })).toEqual({ kind: "used" });
  });
});

describe("the secret", () => {
  // Proves requirement 32.
  it("has 160 random bits", () => {
    const secrets = new Set(Array.from({ length: 1000 }, () => newSecret(random)));
    expect(secrets.size).toBe(1000);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  });

  it("is in the otpauth URI with product and user name, which are escaped", () => {
    const uri = new URL(otpauthUri({ productName: "House: A&B ?x=", username: "anna@büro", secretBase32 }));
    expect([uri.protocol, uri.host]).toEqual(["otpauth:", "totp"]);
    expect(decodeURIComponent(uri.pathname)).toBe("/House  A&B ?x=:anna@büro");
    expect(Object.fromEntries(uri.searchParams)).toEqual({ secret: secretBase32, issuer: "House  A&B ?x=" });
  });
});

describe("a wrong clock", () => {
  it("is detected by two different codes with the same offset", () => {
    const first = addWrongStep([], { step: 103, offset: 3 });
    expect(first).toEqual({ wrongSteps: [{ step: 103, offset: 3 }], clockOffSeconds: null });
    expect(addWrongStep(first.wrongSteps, { step: 103, offset: 3 })).toEqual(first);
    expect(addWrongStep(first.wrongSteps, { step: 104, offset: 4 }).clockOffSeconds).toBeNull();
    expect(addWrongStep(first.wrongSteps, { step: 104, offset: 3 }).clockOffSeconds).toBe(90);
    expect(addWrongStep([{ step: 90, offset: -10 }], { step: 91, offset: -10 }).clockOffSeconds).toBe(-300);
  });

  it("drops old steps, but none that could still be accepted", () => {
    const known = [
      { step: 1000, offset: 10 },
      { step: 960, offset: -10 },
    ];
    const { wrongSteps } = addWrongStep(known, { step: 998, offset: 4 });
    expect(wrongSteps.map(({ step }) => step)).toEqual([1000, 998]);
  });
});
