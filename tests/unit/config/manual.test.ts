import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { environmentSchema, KEYS } from "#app/config/environment.server.ts";
import { renderManual } from "#app/config/manual.server.ts";

test("docs/configuration.md is the one the schema generates", () => {
  // When this fails: npm run generate.
  expect(readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8")).toBe(renderManual());
});

describe("the manual", () => {
  const manual = renderManual();

  test("has a section for every key, once", () => {
    const sections = [...manual.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual([...KEYS.keys()]);
  });

  test.each([...KEYS])("says of %s what it means, in whole sentences", (_name, facts) => {
    expect(facts.meaning).toMatch(/^[A-Z`].*\.$/s);
    expect(facts.expected).not.toBe("");
  });
});

describe("the facts of a key", () => {
  const shape = Object.entries(environmentSchema.shape);
  // Nobody's secret: keys that would work stand in no manual.
  const unusable = ["SECRET_KEYS", "APPLE_PRIVATE_KEY"];

  test.each(shape)("%s: a default passes the key's own check", (name, schema) => {
    const unset = KEYS.get(name)?.unset;
    const isOptional = schema.safeParse(undefined).success;
    if (typeof unset === "object" && "default" in unset) {
      expect(schema.safeParse(unset.default).success).toBe(true);
      return;
    }
    expect(isOptional).toBe(unset !== "refused");
  });

  test.each(shape)("%s: the example passes, but for keys that nobody may copy", (name, schema) => {
    expect(schema.safeParse(KEYS.get(name)?.example).success).toBe(!unusable.includes(name));
  });
});
