import { describe, expect, test } from "vitest";
import { readConfig } from "#app/config/read.server.ts";
import { findSuggestions } from "#app/config/suggestions.server.ts";

function suggestions(...names: string[]): string[] {
  return findSuggestions(Object.fromEntries(names.map((name) => [name, "x"]))).map(({ expected }) => expected);
}

describe("a name that looks like a misspelled key", () => {
  test.each([
    ["SECRET_KEY", "SECRET_KEYS"],
    ["SECRETS_KEY", "SECRET_KEYS"],
    ["SECRET_KEY_FILE", "SECRET_KEYS_FILE"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["TRUSTED_PROXY", "TRUST_PROXY"],
    ["TIMEZONE", "TIME_ZONE"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["ISUER", "ISSUER"],
    ["PROT", "PORT"],
    ["Port", "PORT"],
    ["GOOGLE_CLIENTID", "GOOGLE_CLIENT_ID"],
  ])("%s causes a warning that suggests %s", (name, meant) => {
    expect(suggestions(name)).toEqual([`did you mean ${meant}?`]);
  });

  test("causes a warning beside the mistakes that it causes", () => {
    const read = readConfig({ SECRET_KEY: "x" });
    expect(read.ok).toBe(false);
    expect(read.warnings.map(({ key }) => key)).toEqual(["SECRET_KEY"]);
  });

  test("does not show its value", () => {
    expect(JSON.stringify(findSuggestions({ SECRET_KEY: "hunter2hunter2" }))).not.toContain("hunter2");
  });

  test("of a file for a key that is not a secret causes a warning", () => {
    expect(suggestions("APP_URL_FILE")).toEqual(["the value in APP_URL"]);
  });
});

test("names of other programs cause no warning", () => {
  const others = [
    "HOME",
    "USER",
    "PATH",
    "HOSTNAME",
    "TERM",
    "LANG",
    "TZ",
    "NODE_ENV",
    "MAIL",
    "LOGNAME",
    "PWD",
    "PGPORT",
  ];
  expect(suggestions(...others, "npm_config_port", "REDIS_PORT", "DISPLAY", "SHELL", "NO_PROXY", "HTTP_PROXY")).toEqual(
    [],
  );
});
