import { describe, expect, it } from "vitest";
import { codeOf, DomainError, ERROR_CODES, hasCode } from "#app/domain/errors.ts";

describe("error codes", () => {
  it("a refusal is recognised by its code, also when another bundle made it", () => {
    const error = new DomainError("credentials", { detail: "no password row" });
    const sameFromElsewhere = { name: "DomainError", code: "credentials", detail: "no password row" };
    expect(hasCode(error, "credentials")).toBe(true);
    expect(hasCode(sameFromElsewhere, "credentials")).toBe(true);
    expect(hasCode(error, "challenge")).toBe(false);
    expect(error.detail).toBe("no password row");
  });

  it("codes of other errors are none of ours", () => {
    expect(codeOf(Object.assign(new Error("missing"), { code: "ENOENT" }))).toBeNull();
    expect(codeOf("credentials")).toBeNull();
    expect(codeOf(null)).toBeNull();
  });

  it("no code is listed twice", () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
  });
});
