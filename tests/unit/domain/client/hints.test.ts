import { describe, expect, it } from "vitest";
import { parseHints, pickHints } from "#app/domain/client/hints.ts";

const DECLARED = ["email", "name", "constructor"];

const pick = (sent: Record<string, unknown>) => pickHints(DECLARED, (key) => new Map(Object.entries(sent)).get(key));

describe("hints", () => {
  it("are the declared ones, in that order", () => {
    expect(pick({ role: "admin", name: " Eva ", email: "eva@office.example" })).toEqual([
      { key: "email", value: "eva@office.example" },
      { key: "name", value: "Eva" },
    ]);
  });

  it.each([undefined, "", " ", "a\nb", "a\u202eb", 7, ["a", "b"], { a: "b" }, "x".repeat(201)])(
    "must be one short line each: %j is ignored",
    (value) => {
      expect(pick({ email: value })).toEqual([]);
    },
  );

  it("have up to 200 characters", () => {
    expect(pick({ email: "x".repeat(200) })).toHaveLength(1);
  });

  it("are ten at most", () => {
    const many = Array.from({ length: 11 }, (_, index) => `key${index}`);
    expect(pickHints(many, (key) => key).map(({ key }) => key)).toEqual(many.slice(0, 10));
  });

  it.each([undefined, null, "", "{", "7", "{}", '[{"key":"a"}]', '[{"key":"a b","value":"x"}]', "[null]"])(
    "are empty for an invalid stored value: %j",
    (json) => {
      expect(parseHints(json)).toEqual([]);
    },
  );

  it("are read as stored", () => {
    const hints = pick({ email: "eva@office.example" });
    expect(parseHints(JSON.stringify(hints))).toEqual(hints);
  });
});
