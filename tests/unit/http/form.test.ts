import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readForm } from "#app/http/form.server.ts";

const FIELDS = ["username", "password", "login_challenge", "scopes"];
const schema = z.object({
  username: z.string("required"),
  password: z.string().optional(),
  login_challenge: z.string().optional(),
  scopes: z.array(z.string()).optional(),
});
const FORM_TYPE = "application/x-www-form-urlencoded";

function read(body: BodyInit, contentType = FORM_TYPE) {
  const request = new Request("http://localhost/login/native", {
    method: "POST",
    headers: { "Content-Type": contentType },
    body,
  });
  return readForm(request, schema, FIELDS);
}

/** Returns the status of the refusal, its duration and the memory it used. */
async function refusalOf(body: BodyInit, contentType?: string) {
  const before = process.memoryUsage();
  const startedAt = performance.now();
  const thrown: unknown = await read(body, contentType).catch((error: unknown) => error);
  const tookMs = performance.now() - startedAt;
  const after = process.memoryUsage();
  if (!(thrown instanceof Response)) throw new Error("the form was not refused");
  const grownBytes = after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers;
  return { status: thrown.status, code: await thrown.json(), tookMs, grownBytes };
}

describe("reading a form", () => {
  it("takes fields that nobody reads, if they are named, and keeps nothing of them", async () => {
    const request = new Request("http://localhost/register", {
      method: "POST",
      headers: { "Content-Type": FORM_TYPE },
      body: "username=anna&hints[99999999]=x&hints[__proto__]=y",
    });
    const reading = await readForm(request, schema, FIELDS, /^hints\[\w+\]$/);
    expect(reading).toEqual({ ok: true, value: { username: "anna" }, values: { username: "anna" } });
    expect(await refusalOf("username=anna&hints[0]=x")).toMatchObject({ status: 400 });
  });

  it("gives what the schema makes of it", async () => {
    expect(await read("username=M%C3%BCller+A&password=s%26cret&scopes=openid&scopes=email")).toEqual({
      ok: true,
      value: { username: "Müller A", password: "s&cret", scopes: ["openid", "email"] },
      values: { username: "Müller A", scopes: "openid" },
    });
  });

  it("gives what was typed back with the errors, never a password", async () => {
    expect(await read("username=&password=SECRET&login_challenge=abc")).toEqual({
      ok: false,
      errors: { username: ["required"] },
      values: { username: "", login_challenge: "abc" },
    });
  });

  it("takes raw UTF-8 and a charset of UTF-8", async () => {
    expect(await read("username=Müller", `${FORM_TYPE}; charset=UTF-8`)).toMatchObject({
      value: { username: "Müller" },
    });
  });

  it("keeps markup as the text it is", async () => {
    const { values } = await read(`username=${encodeURIComponent("<script>alert(1)</script>\n\u001b[31m")}`);
    expect(values["username"]).toBe("<script>alert(1)</script>\n\u001b[31m");
  });

  it.each([
    ["a field that the form does not have", "username=a&is_admin=1"],
    ["an index on a field that it has", "username[0]=a"],
    ["a member of a field that it has", "username.constructor=a"],
    ["the prototype", "__proto__[x]=1"],
    ["conform's own field", "username=a&__intent__=1"],
    ["a NUL in a value", "username=a%00b"],
    ["a NUL in a name", "username%00=a"],
    ["a raw NUL", "username=a\0b"],
    ["a percent sign that starts nothing", "username=100%"],
    ["bytes that are not UTF-8", "username=%ff%fe"],
    ["a surrogate in UTF-8", "username=%ed%a0%80"],
    ["an overlong NUL", "username=%c0%80"],
    ["65 fields", Array(65).fill("username=a").join("&")],
  ])("refuses %s", async (_what, body) => {
    expect(await refusalOf(body)).toMatchObject({ status: 400, code: { code: "bad request" } });
  });

  it("refuses raw bytes that are not UTF-8", async () => {
    expect((await refusalOf(Buffer.from([0x75, 0x3d, 0xff]))).status).toBe(400);
  });

  it.each(["application/json", "multipart/form-data; boundary=x", "text/plain", "", `${FORM_TYPE}; charset=utf-7`])(
    "refuses the type '%s'",
    async (contentType) => {
      expect((await refusalOf("username=a", contentType)).status).toBe(415);
    },
  );

  it.each([
    ["one field with an index that no array can have", "a[99999999]=", 400],
    ["a known name with such an index", "scopes[99999999]=", 400],
    ["1,000 of them", Array.from({ length: 1000 }, (_, i) => `a[${i}9999999]=`).join("&"), 400],
    ["20,000 brackets", `username${"[a]".repeat(20_000)}=1`, 400],
    ["20,000 ampersands", "&".repeat(20_000), 400],
    ["60 KB of percent signs", "%".repeat(60_000), 400],
    ["10 MB", "a".repeat(10 * 1024 * 1024), 413],
  ])("refuses a bomb in no time and without memory: %s", async (_what, body, status) => {
    const refusals = [await refusalOf(body), await refusalOf(body), await refusalOf(body)];
    for (const refusal of refusals) expect(refusal.status).toBe(status);
    // The fastest run, because other load on the machine adds time.
    expect(Math.min(...refusals.map(({ tookMs }) => tookMs))).toBeLessThan(100);
    expect(Math.min(...refusals.map(({ grownBytes }) => grownBytes))).toBeLessThan(32 * 1024 * 1024);
  });

  it("stops reading a body without end", async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 16_384;
        controller.enqueue(new Uint8Array(16_384).fill(97));
      },
    });
    const init = { method: "POST", headers: { "Content-Type": FORM_TYPE }, body: endless, duplex: "half" } as const;
    const thrown: unknown = await readForm(new Request("http://localhost/", init), schema, FIELDS).catch(
      (e: unknown) => e,
    );
    expect(thrown).toMatchObject({ status: 413 });
    expect(sent).toBeLessThan(200_000);
  });
});
