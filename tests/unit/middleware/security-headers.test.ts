import { afterEach, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

/** Parses a Content-Security-Policy into its directives. */
function policyOf(header: string | string[] | undefined): Record<string, string> {
  const directives = String(header)
    .split(";")
    .map((directive) => directive.trim());
  return Object.fromEntries(
    directives.map((directive) => directive.split(/ (.*)/s)).map(([name, value]) => [name, value?.trim() ?? ""]),
  );
}

describe("security headers", () => {
  let stack: TestStack;
  afterEach(() => stack.close());

  it("are on every response: pages, files, probes, refusals, the engine's and errors", async () => {
    stack = await startStack({
      engine: (_request, response) => {
        for (const name of response.getHeaderNames()) response.removeHeader(name);
        response.end();
      },
    });
    const paths = ["/login", "/favicon.svg", "/healthz", "/%ff", "/oauth2/auth", "/userinfo", "/.well-known/jwks.json"];
    for (const path of paths) {
      const { headers } = await stack.send(path);
      expect(headers, path).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "unsafe-none",
        "cross-origin-resource-policy": "same-origin",
        "x-frame-options": "DENY",
        "permissions-policy": expect.stringContaining("camera=()"),
      });
      expect(policyOf(headers["content-security-policy"]), path).toMatchObject({
        "default-src": "'none'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "object-src": "'none'",
      });
      expect(headers, path).not.toHaveProperty("x-powered-by");
      expect(headers, path).not.toHaveProperty("access-control-allow-origin");
    }
    expect((await stack.send("/login", { headers: { host: "evil.example" } })).headers["x-frame-options"]).toBe("DENY");
  });

  it("pages may run only our own scripts, by a nonce that is new each time", async () => {
    stack = await startStack();
    const [one, other] = [await stack.send("/login"), await stack.send("/login")];
    const policy = policyOf(one.headers["content-security-policy"]);
    const nonce: string = JSON.parse(one.body).facts.cspNonce;
    expect(nonce).toMatch(/^[\w-]{22}$/);
    expect(nonce).not.toBe(JSON.parse(other.body).facts.cspNonce);
    expect(policy["script-src"]).toBe(`'self' 'nonce-${nonce}'`);
    expect(policy["style-src"]).toBe("'self'");
    expect(policy["form-action"]).toBe("'self'");
  });

  it("a page whose forms lead to an application has no form-action, and its other rules", async () => {
    stack = await startStack({
      pages: ({ context }) => {
        context.allowFormsToLeave();
        return Response.json({});
      },
    });
    const { headers } = await stack.send("/login");
    const policy = policyOf(headers["content-security-policy"]);
    expect(policy).not.toHaveProperty("form-action");
    expect(policy["script-src"]).toMatch(/^'self' 'nonce-/);
  });

  it("a page can show a picture of another site over https, and of that site alone", async () => {
    stack = await startStack({
      pages: ({ request, context }) => {
        if (request.url.endsWith("/other")) return Response.json({});
        context.allowPicture("https://pictures.example:8443/anna.png?size=96");
        context.allowPicture("http://plain.example/anna.png");
        context.allowPicture("javascript:alert(1)");
        context.allowPicture("https://[::1]/anna.png");
        context.allowPicture("https://evil.example;script-src/anna.png");
        return Response.json({});
      },
    });
    const { headers } = await stack.send("/login");
    const policy = policyOf(headers["content-security-policy"]);
    expect(policy["img-src"]).toBe("'self' data: https://pictures.example:8443");
    const other = await stack.send("/other");
    expect(policyOf(other.headers["content-security-policy"])["img-src"]).toBe("'self' data:");
  });

  it("the next page has form-action again", async () => {
    stack = await startStack({
      pages: ({ request, context }) => {
        if (request.url.endsWith("/one")) context.allowFormsToLeave();
        return Response.json({});
      },
    });
    await stack.send("/one");
    const { headers } = await stack.send("/other");
    expect(policyOf(headers["content-security-policy"])["form-action"]).toBe("'self'");
  });

  it("the engine's pages may post anywhere, and the engine can add the hash of its script", async () => {
    stack = await startStack({
      engine: (_request, response) => {
        const policy = String(response.getHeader("content-security-policy"));
        response.setHeader(
          "content-security-policy",
          policy.replace("script-src 'self'", "script-src 'self' 'sha256-abc='"),
        );
        response.end();
      },
    });
    const policy = policyOf((await stack.send("/oauth2/auth")).headers["content-security-policy"]);
    expect(policy).not.toHaveProperty("form-action");
    expect(policy["script-src"]).toBe("'self' 'sha256-abc='");
  });

  it("HSTS is sent for a year if the issuer uses https", async () => {
    stack = await startStack({ issuer: "https://id.example" });
    expect((await stack.send("/login")).headers["strict-transport-security"]).toBe("max-age=31536000");
  });

  it("HSTS is not sent on http", async () => {
    stack = await startStack();
    expect((await stack.send("/login")).headers).not.toHaveProperty("strict-transport-security");
  });

  it("dynamic responses are not cacheable, except the engine's published documents", async () => {
    stack = await startStack();
    for (const path of ["/login", "/oauth2/auth", "/oauth2/token", "/userinfo", "/healthz", "/readyz", "/%ff"]) {
      expect((await stack.send(path)).headers["cache-control"], path).toBe("no-store");
    }
    for (const path of ["/.well-known/openid-configuration", "/.well-known/jwks.json"]) {
      expect((await stack.send(path)).headers, path).not.toHaveProperty("cache-control");
    }
  });

  it("a page's own Cache-Control wins", async () => {
    stack = await startStack({
      pages: () => new Response("", { headers: { "Cache-Control": "private, max-age=60" } }),
    });
    expect((await stack.send("/login")).headers["cache-control"]).toBe("private, max-age=60");
  });
});
