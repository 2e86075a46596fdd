import { describe, expect, test } from "vitest";
import { serverOfFile } from "#tests/support/server.ts";

const server = await serverOfFile({ env: { TRUST_PROXY: "127.0.0.1/32,::1/128,10.0.0.0/8" } });

/** Returns the client address that the log contains for a request with this header. */
async function addressOf(forwardedFor: string, others: Record<string, string> = {}) {
  const marker = `/marker-${server.lines().length}`;
  await server.browser().get(marker, { headers: { "x-forwarded-for": forwardedFor, ...others } });
  await expect.poll(() => lineOf(marker)).toBeDefined();
  return lineOf(marker)?.address;
}

const lineOf = (path: string) => server.lines().find((line) => line.path === path);

describe("behind a trusted proxy", () => {
  test.each([
    ["the client it names", "203.0.113.9", "203.0.113.9"],
    ["the last untrusted address", "198.51.100.1, 203.0.113.9, 10.1.2.3", "203.0.113.9"],
    ["an address of the sixth version", "2001:db8::9", "2001:db8::9"],
    ["an address of the fourth version in clothes of the sixth", "::ffff:203.0.113.9", "203.0.113.9"],
    ["an address with a port, without the port", "203.0.113.8:51234", "203.0.113.8"],
    ["one of the sixth version with a port", "[2001:db8::9]:443", "2001:db8::9"],
    ["one of the sixth version in brackets", "[2001:db8::9]", "2001:db8::9"],
    ["one in clothes of the sixth with a port", "[::ffff:203.0.113.9]:443", "203.0.113.9"],
    [
      "the last untrusted one, also behind a trusted one with a port",
      "6.6.6.6:1, 203.0.113.9:2,10.1.2.3:3",
      "203.0.113.9",
    ],
  ])("the address is %s", async (_what, header, address) => {
    expect(await addressOf(header)).toBe(address);
  });

  test.each([
    ...["nonsense", "unknown", "<script>", "203.0.113.9; rm -rf /", "999.999.999.999", "999.999.999.999:80"],
    ...["203.0.113.8:", "203.0.113.8:x", "203.0.113.8:1:2", "203.0.113.8:123456", "[203.0.113.8]:80", "[::g]:80"],
    ...["2001:db8::9]:443", "[2001:db8::9", "[2001:db8::9]443", "[[2001:db8::9]]", "[]", ":80"],
  ])("%s is not an address", async (header) => {
    expect(await addressOf(header)).toBe("127.0.0.1");
  });

  test("only X-Forwarded-For determines the client address", async () => {
    const others = { "x-real-ip": "198.51.100.7", forwarded: "for=198.51.100.7", "x-client-ip": "198.51.100.7" };
    expect(await addressOf("203.0.113.9", others)).toBe("203.0.113.9");
  });

  test("the host is still the issuer's", async () => {
    const response = await server
      .browser()
      .get("/error", { headers: { host: "evil.example", "x-forwarded-host": "x" } });
    expect(response.status).toBe(421);
    const forwarded = await server.browser().get("/error", { headers: { "x-forwarded-host": "evil.example" } });
    expect([forwarded.status, forwarded.body.includes("evil.example")]).toEqual([400, false]);
  });

  test("the scheme is still the issuer's", async () => {
    const response = await server.browser().get("/login?lng=de", { headers: { "x-forwarded-proto": "https" } });
    expect(response.headers).not.toHaveProperty("strict-transport-security");
    expect(response.setCookies.join()).not.toMatch(/secure/i);
  });
});
