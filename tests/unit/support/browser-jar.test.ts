import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowser } from "#tests/support/browser-jar.ts";

let server: Server;
let base: string;
const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
    if (request.url === "/start") {
      response.writeHead(303, { location: "/form", "set-cookie": ["a=1; Path=/", "b=2; Path=/"] }).end();
    } else if (request.url === "/away") {
      response.writeHead(303, { location: "http://app.example/callback?code=1" }).end();
    } else if (request.url === "/form") {
      response.end(
        '<form method="post" action="/away"><input name="user"><button name="go" value="1">Go</button></form>',
      );
    } else {
      response.end("{}");
    }
  });
  await once(server.listen(0), "listening");
  const address = server.address();
  base = `http://localhost:${typeof address === "object" ? address?.port : 0}`;
});

afterAll(async () => {
  server.close();
  await once(server, "close");
});

describe("the browser of the tests", () => {
  it("keeps cookies, and follows redirects only when asked", async () => {
    const browser = createBrowser({ base, language: "de" });
    const response = await browser.get("/start");
    expect(response.status).toBe(303);
    expect(response.location).toBe(`${base}/form`);
    const form = await browser.follow(response);
    expect(form.status).toBe(200);
    expect(seen.at(-1)?.headers).toMatchObject({ cookie: "a=1; b=2", "accept-language": "de" });
  });

  it("fills in forms, and stops at a redirect to the application", async () => {
    const browser = createBrowser({ base });
    const on = await browser.get("/form");
    const response = await browser.submit(on, on.page().form("/away"), { user: "Änne & Co" }, "Go");
    expect(seen.at(-1)).toMatchObject({ method: "POST", url: "/away", body: "user=%C3%84nne+%26+Co&go=1" });
    expect(seen.at(-1)?.headers.origin).toBe(base);
    const end = await browser.followTo(response, "http://app.example/callback");
    expect(end.searchParams.get("code")).toBe("1");
  });

  it("refuses to send what the form does not have", async () => {
    const browser = createBrowser({ base });
    const on = await browser.get("/form");
    const form = on.page().form("/away");
    await expect(async () => browser.submit(on, form, { admin: "1" })).rejects.toThrow('no field "admin"');
    await expect(async () => browser.submit(on, form, {}, "Stop")).rejects.toThrow('no button "Stop"');
  });

  it("posts JSON, and throws when a redirect has another target", async () => {
    const browser = createBrowser({ base });
    const response = await browser.postJson("/api", { a: 1 });
    expect(response.json()).toEqual({});
    expect(seen.at(-1)).toMatchObject({ body: '{"a":1}' });
    await expect(browser.followTo(response, "http://app.example")).rejects.toThrow("Expected a redirect");
  });
});
