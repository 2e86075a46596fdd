import { describe, expect, it } from "vitest";
import { requireFormPost } from "#app/http/form.server.ts";
import { clearSiteData, htmlStatus, redirect303 } from "#app/http/reply.server.ts";

describe("answers", () => {
  it("after a form go on with a GET, and keep their headers", () => {
    const response = redirect303("/logout/callback", { ...clearSiteData, "Set-Cookie": "a=b" });
    expect(response.status).toBe(303);
    expect(Object.fromEntries(response.headers)).toEqual({
      location: "/logout/callback",
      "clear-site-data": '"cache"',
      "set-cookie": "a=b",
    });
  });

  it.each([
    [undefined, 200],
    [null, 200],
    ["challenge", 400],
    ["credentials", 401],
    ["xsrf", 403],
    ["origin", 403],
    ["page_not_found", 404],
    ["throttled", 429],
    ["overloaded", 503],
    ["username is empty", 400],
    ["internal", 500],
  ] as const)("of pages with the code %s have the status %i", (code, status) => {
    expect(htmlStatus(code)).toBe(status);
  });

  it("to anything but a POST are 405 where only a POST makes sense", () => {
    expect(() => requireFormPost(new Request("http://localhost/", { method: "POST" }))).not.toThrow();
    for (const method of ["GET", "PUT", "DELETE"]) {
      expect(() => requireFormPost(new Request("http://localhost/", { method }))).toThrow(
        expect.objectContaining({ status: 405 }),
      );
    }
  });
});
