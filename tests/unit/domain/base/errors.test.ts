import { describe, expect, it } from "vitest";
import { DomainError, ERROR_CODES, hasCode } from "#app/domain/base/errors.ts";

describe("error codes", () => {
  it("a DomainError is recognised by its code", () => {
    const error = new DomainError("credentials", { detail: "no password row" });
    expect(hasCode(error, "credentials")).toBe(true);
    expect(hasCode(error, "challenge")).toBe(false);
    expect(error.detail).toBe("no password row");
  });

  it("other errors have none of these codes", () => {
    expect(hasCode(Object.assign(new Error("refused"), { code: "credentials" }), "credentials")).toBe(false);
    expect(hasCode("credentials", "credentials")).toBe(false);
    expect(hasCode(null, "credentials")).toBe(false);
  });

  it("no code is listed twice", () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
  });
});
