import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCookieJar } from "#tests/support/cookie-jar.ts";
import {
  findInDatabase,
  findInLog,
  noteAuthorization,
  noteJson,
  noteParameters,
  noteUrl,
  requireNone,
} from "#tests/support/sent-secrets.ts";

createCookieJar().take(new URL("http://localhost/"), ["session=a-cookie-of-a-session; Path=/"]);
noteParameters('password=Ledger "Window" 27 Oak&username=somebody-with-a-long-name&code=123456');
noteUrl("http://localhost:9/callback?code=an-authorization-code&nonce=the-nonce-of-an-application");
noteJson(
  JSON.stringify({ tokens: [{ refresh_token: "a-refresh-token" }], url: "http://localhost/m?t=a-token-of-settings" }),
);
noteAuthorization(`Basic ${Buffer.from("desk:an%2Bapplication%2Bsecret").toString("base64")}`);

describe("a log", () => {
  test.each([
    ["a-cookie-of-a-session", "the cookie session"],
    ['Ledger "Window" 27 Oak', "password"],
    ["an-authorization-code", "code"],
    ["the-nonce-of-an-application", "nonce"],
    ["a-refresh-token", "refresh_token"],
    ["a-token-of-settings", "t"],
    ["an+application+secret", "client_secret"],
  ])("that contains %j is detected in every encoding, and the message does not repeat it", (secret, kind) => {
    for (const text of [secret, JSON.stringify({ path: secret }), `/login?x=${encodeURIComponent(secret)}`]) {
      const found = findInLog(`{"level":30}\n${text}\n`);
      expect(found).toEqual([kind]);
      expect(() => requireNone("The log", found)).toThrow(`The log contains secrets: ${kind}`);
    }
  });

  test("may contain everything else", () => {
    const found = findInLog('{"username":"somebody-with-a-long-name","at":1234567890,"an-authorization":"none"}');
    expect(found).toEqual([]);
    expect(() => requireNone("The log", found)).not.toThrow();
  });
});

test("a database may contain values that an application needs, and none of our tokens", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-told-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "gatehouse.sqlite");
  writeFileSync(file, "\0the-nonce-of-an-application\0");
  expect(findInDatabase(file)).toEqual([]);
  writeFileSync(`${file}-wal`, "\0\0a-token-of-settings\0");
  expect(findInDatabase(file)).toEqual(["t"]);
});
