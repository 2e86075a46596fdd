import { expect, test, vi } from "vitest";
import { readEnvironmentFile } from "#app/cli/setup/environment-file.server.ts";
import { createRoot, linksIn } from "./new-root.ts";
import { setupOnTerminal } from "./terminal.ts";

// A setup starts four processes.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const PASSWORD = "a password of the mail server";

test("on a terminal setup asks, shows no secret, prints one link, and asks before a new one", async () => {
  const root = createRoot();
  const first = await setupOnTerminal(root, [
    [/Public address[^:]*: *$|login\.example\.com: $/, "login.example"],
    [/Product name[^:]*: $/, "Example Brokers"],
    [/imprint: $/, "www.example.com/imprint"],
    [/Mail: smtp, microsoft365, none: $/, "smtp"],
    [/HOST:PORT: $/, "localhost"],
    [/\(empty: none\): $/, "gate"],
    [/\(not shown\): $/, PASSWORD],
    [/Sender of mails \(empty: no-reply@login\.example\): $/, ""],
    [/Proxy: caddy, nginx, own: $/, "caddy"],
    [/Anna Berger: $/, "Anna Berger"],
    [/E-mail address of the first administrator: $/, "anna.berger@example.com"],
  ]);
  expect([first.code, first.screen]).toEqual([0, expect.not.stringContaining(PASSWORD)]);
  expect(linksIn(first.screen)).toHaveLength(1);
  expect(readEnvironmentFile(root.at("etc/gatehouse/gatehouse.env"))).toMatchObject({
    ISSUER: "https://login.example",
    PRODUCT_NAME: "Example Brokers",
    IMPRINT_URL: "https://www.example.com/imprint",
  });
  const url = `smtp://gate:${encodeURIComponent(PASSWORD)}@localhost:587\n`;
  expect(root.read("etc/gatehouse/smtp-url")).toBe(url);
  expect(root.read("etc/caddy/Caddyfile")).toContain("\nhttps://login.example {\n");

  const before = root.files();
  const kept = await setupOnTerminal(root, [[/ends it\? \[y\/N\] $/, ""]]);
  expect([kept.code, linksIn(kept.screen)]).toEqual([0, []]);
  const renewed = await setupOnTerminal(root, [[/ends it\? \[y\/N\] $/, "y"]]);
  expect([renewed.code, linksIn(renewed.screen).length]).toEqual([0, 1]);
  expect(linksIn(renewed.screen)).not.toEqual(linksIn(first.screen));
  expect(root.files()).toEqual(before);
});
