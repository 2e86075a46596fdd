import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineForm, errorCodes, firstError, notBlank, required, text } from "#app/http/define-form.server.ts";
import { readForm, readSubmission } from "#app/http/form.server.ts";

const form = defineForm({
  username: notBlank("username is empty"),
  password: required("empty-password"),
  login_challenge: text(),
  scopes: z.array(z.string()).default([]),
});
const FORM_TYPE = "application/x-www-form-urlencoded";

function requestWith(body: BodyInit, contentType = FORM_TYPE): Request {
  return new Request("http://localhost/login/native", {
    method: "POST",
    headers: { "Content-Type": contentType },
    body,
  });
}

function read(body: BodyInit, contentType?: string) {
  return readSubmission(requestWith(body, contentType), form);
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

describe("a definition", () => {
  it("adds the anti-forgery token and names the fields", () => {
    expect(form.fieldNames).toEqual(["username", "password", "login_challenge", "scopes", "_xsrf"]);
  });

  it("knows the constraints of the inputs", () => {
    const { username, login_challenge, scopes } = form.constraint;
    expect([username, login_challenge, scopes]).toEqual([
      { required: true },
      { required: false },
      { required: false, multiple: true },
    ]);
  });
});

describe("reading a form", () => {
  it("takes fields that nobody reads, if they are named, and keeps nothing of them", async () => {
    const request = requestWith("username=anna&password=x&hints[99999999]=x&hints[__proto__]=y");
    const { submission } = await readSubmission(request, { ...form, ignored: /^hints\[\w+\]$/ });
    expect(submission.payload).toEqual({ username: "anna", password: "x" });
    expect(await refusalOf("username=anna&hints[0]=x")).toMatchObject({ status: 400 });
  });

  it("gives what the schema makes of it", async () => {
    const body = "username=M%C3%BCller+A&password=s%26cret&scopes=openid&scopes=email";
    const value = {
      username: "Müller A",
      password: "s&cret",
      login_challenge: "",
      scopes: ["openid", "email"],
      _xsrf: "",
    };
    expect((await read(body)).submission).toMatchObject({ status: "success", value });
    expect(await readForm(requestWith(body), form)).toEqual(value);
  });

  it("gives what was typed back with the errors, never a password or a token", async () => {
    const { reply } = await read("username=+&password=SECRET&login_challenge=abc&_xsrf=TOKEN");
    const result = reply({ fieldErrors: { password: ["credentials"] } });
    expect(result).toMatchObject({
      initialValue: { username: " ", login_challenge: "abc" },
      error: { username: ["username is empty"], password: ["credentials"] },
    });
    expect(JSON.stringify(result)).not.toMatch(/SECRET|TOKEN/);
    expect(errorCodes(result)).toEqual(["username is empty", "credentials"]);
  });

  it("gives the action what was posted, whatever the rules say", async () => {
    const { submission, posted } = await read("username=&password=SECRET&login_challenge=a&login_challenge=b");
    expect(submission.status).toBe("error");
    expect([posted("username"), posted("password"), posted("login_challenge"), posted("_xsrf")]).toEqual([
      "",
      "SECRET",
      "a",
      "",
    ]);
  });

  it("puts an error of the whole form before those of its fields", async () => {
    const { reply } = await read("username=&password=");
    expect(errorCodes(reply())).toEqual(["username is empty", "empty-password"]);
    expect(errorCodes(reply({ formErrors: ["xsrf"] }))).toEqual(["xsrf"]);
    expect(firstError(reply())).toBe("username is empty");
    expect(firstError((await read("username=a&password=b")).reply())).toBeUndefined();
  });

  it("does not take a field that comes twice for an empty one", async () => {
    const { reply } = await read("username=a&username=b&password=");
    expect(errorCodes(reply())).toEqual(["Could not parse request"]);
  });

  it("refuses a form without rules of its own that does not match", async () => {
    const refused = await readForm(requestWith("username=a&username=b&password=c"), form).catch((e: unknown) => e);
    expect(refused).toMatchObject({ status: 400 });
  });

  it("takes raw UTF-8 and a charset of UTF-8", async () => {
    const { posted } = await read("username=Müller", `${FORM_TYPE}; charset=UTF-8`);
    expect(posted("username")).toBe("Müller");
  });

  it("keeps markup as the text it is", async () => {
    const { posted } = await read(`username=${encodeURIComponent("<script>alert(1)</script>\n\u001b[31m")}`);
    expect(posted("username")).toBe("<script>alert(1)</script>\n\u001b[31m");
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
    ["a percent sign without an encoded character", "username=100%"],
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
    const thrown: unknown = await readForm(new Request("http://localhost/", init), form).catch((e: unknown) => e);
    expect(thrown).toMatchObject({ status: 413 });
    expect(sent).toBeLessThan(200_000);
  });
});
