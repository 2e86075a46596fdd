import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { describe, expect, test } from "vitest";
import { environmentSchema, KEYS } from "#app/config/environment.server.ts";
import { readConfig } from "#app/config/read.server.ts";
import { renderExample, renderManual } from "../../../scripts/configuration-manual.ts";

test("docs/configuration.md is the one the schema generates", () => {
  // If this fails, run `npm run generate`.
  expect(readFileSync(new URL("../../../docs/configuration.md", import.meta.url), "utf8")).toBe(renderManual());
});

describe(".env.example", () => {
  const example = readFileSync(new URL("../../../.env.example", import.meta.url), "utf8");

  test("is the one the schema generates", () => {
    // If this fails, run `npm run generate`.
    expect(example).toBe(renderExample());
  });

  test("is a working environment once every line is filled in", () => {
    const lines = example.split("\n").filter((line) => /^(# )?[A-Z_]+=/.test(line));
    const names = lines.map((line) => line.replace(/^# /, "").split("=", 1)[0]);
    expect(names).toEqual([...KEYS.keys()]);
    // The secrets of the example are invalid, so that they cannot be used in production.
    const required = parseEnv(lines.filter((line) => !line.startsWith("#")).join("\n"));
    expect(readConfig({ ...required, SECRET_KEYS: "k".repeat(43) })).toMatchObject({ ok: true });
  });
});

describe("the manual", () => {
  const manual = renderManual();

  test("has a section for every key, once", () => {
    const sections = [...manual.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual([...KEYS.keys()]);
  });

  test.each([...KEYS])("describes %s in whole sentences", (_name, description) => {
    expect(description.meaning).toMatch(/^[A-Z`].*\.$/s);
    expect(description.expected).not.toBe("");
  });
});

describe("the description of a key", () => {
  const shape = Object.entries(environmentSchema.shape);
  // The example contains no usable keys and no file.
  const unusable = [
    ...["SECRET_KEYS", "APPLE_PRIVATE_KEY", "MAIL_OAUTH_CERTIFICATE", "MAIL_OAUTH_SERVICE_ACCOUNT"],
    "LOGO_FILE",
  ];

  test.each(shape)("%s: a default passes the key's own check", (name, schema) => {
    const unset = KEYS.get(name)?.unset;
    const isOptional = schema.safeParse(undefined).success;
    if (typeof unset === "object" && "default" in unset) {
      expect(schema.safeParse(unset.default).success).toBe(true);
      return;
    }
    expect(isOptional).toBe(unset !== "refused");
  });

  test.each(shape)("%s: the example is valid, except for keys that must not be copied", (name, schema) => {
    expect(schema.safeParse(KEYS.get(name)?.example).success).toBe(!unusable.includes(name));
  });
});
