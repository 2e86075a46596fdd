import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startStack, type TestStack } from "./test-stack.ts";

const FORM = { origin: "https://app.example", "content-type": "application/x-www-form-urlencoded" };

describe("an authorization request by POST", () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

  const post = (body: string, headers: Record<string, string> = FORM) =>
    stack.send("/oauth2/auth", { method: "POST", headers, body });

  it("redirects to a GET with the same parameters, in the same order, repeated ones too", async () => {
    const { status, headers, body } = await post("client_id=demo&scope=openid+profile&state=%C3%A4%26&state=2");
    expect(status).toBe(303);
    expect(headers.location).toBe("/oauth2/auth?client_id=demo&scope=openid+profile&state=%C3%A4%26&state=2");
    expect(headers["cache-control"]).toBe("no-store");
    expect(body).toBe("");
  });

  it("cannot inject a header or another target into the response", async () => {
    const { headers } = await post("\r\nSet-Cookie: a=b&//evil.example#x=1");
    expect(headers["set-cookie"]).toBeUndefined();
    expect(headers.location).toBe("/oauth2/auth?%0D%0ASet-Cookie%3A+a=b&%2F%2Fevil.example%23x=1");
  });

  it("may be long: the GET that follows still gets through", async () => {
    const { status, headers } = await post(`client_id=demo&request=${"x".repeat(50_000)}`);
    expect(status).toBe(303);
    expect(headers.location).toHaveLength("/oauth2/auth?client_id=demo&request=".length + 50_000);
  });

  it("responds 413 when it is longer than 56 KiB, or would be as a URL", async () => {
    expect((await post(`request=${"x".repeat(57_344)}`)).status).toBe(413);
    expect((await post(`request=${"|".repeat(30_000)}`)).status).toBe(413);
  });

  it("responds 415 when it is not a form", async () => {
    expect((await post("{}", { "content-type": "application/json" })).status).toBe(415);
    expect((await post("client_id=demo", { ...FORM, "content-encoding": "gzip" })).status).toBe(415);
  });
});
