import { describe, expect, test } from "vitest";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { type OpenForm, openForm, tokensOf } from "./open-form.ts";

const server = await serverOfFile();
const party = await server.parties.create();

const openAnew = () => openForm(server.browser(), party.request().url);

/** Returns the values of a page that belong to one browser, request or response. */
function ownOf(page: HttpResponse): string[] {
  const { login_challenge, xsrf_token } = tokensOf(page);
  const nonce = /'nonce-([\w-]+)'/.exec(String(page.headers["content-security-policy"]))?.[1] ?? "";
  const passkeyChallenge = / challenge="([\w-]{64})"/.exec(page.body)?.[1] ?? "";
  return [login_challenge, xsrf_token, nonce, passkeyChallenge];
}

/** Returns the page without these values. */
function faceless(page: HttpResponse, username = ""): string {
  const body = ownOf(page).reduce((text, own, index) => text.replaceAll(own, `OWN ${index}`), page.body);
  return username === "" ? body : body.replaceAll(username, "NAME");
}

async function refuse(form: OpenForm, username: string): Promise<HttpResponse> {
  return form.post({ username, password: "Wrong-Window-27-Oak" });
}

describe("the cached sign-in form", () => {
  test("is the same page for the next one, with tokens of its own", async () => {
    const pages = [(await openAnew()).page, (await openAnew()).page, (await openAnew()).page];
    const own = pages.map(ownOf);
    expect(new Set(own.flat()).size).toBe(12);
    expect(new Set(pages.map((page) => faceless(page))).size).toBe(1);
    for (const [index, page] of pages.entries()) {
      for (const value of own[index] ?? []) expect(page.body).toContain(value);
      for (const value of own.flatMap((other, at) => (at === index ? [] : other)))
        expect(page.body).not.toContain(value);
    }
  });

  test("still accepts the password", async () => {
    const anna = await server.users.create();
    await openAnew();
    const { status, location } = await (await openAnew()).post({ username: anna.username, password: anna.password });
    expect([status, new URL(location ?? "", server.url).pathname]).toEqual([
      303,
      expect.stringMatching(/^\/oauth2\/auth\//),
    ]);
  });

  test("shows only the user name that was typed after a refusal", async () => {
    const names = ["otto.first", "paula-second", "q_3", '<b>&"quoted"', "o*dd", "otto.first"];
    const pages = await Promise.all(names.map(async (name) => refuse(await openAnew(), name)));
    for (const [index, page] of pages.entries()) {
      const typed = new Map(page.page().form("/login/native").fields).get("username");
      expect([page.status, typed]).toEqual([401, names[index]]);
      for (const other of names.filter((name) => name !== names[index])) expect(page.body).not.toContain(`"${other}"`);
    }
    const [first = "", ...others] = [0, 1, 2, 5].map((index) => {
      const page = pages[index];
      return page ? faceless(page, names[index]) : "";
    });
    for (const other of others) expect(other).toBe(first);
  });

  test("is not changed by a challenge that consists of words of the page", async () => {
    const { page } = await openAnew();
    const words = [...new Set(page.body.match(/[\w.-]{20,80}/g))].filter(
      (word) => !ownOf(page).some((own) => own.includes(word)),
    );
    expect(words.length).toBeGreaterThan(0);
    for (const word of words) await server.browser().get(`/login?login_challenge=${word}`);
    expect(faceless((await openAnew()).page)).toBe(faceless(page));
  });

  test("is another page in another language, for another application and with a problem", async () => {
    const elsewhere = await server.parties.create({ name: "Harbour Ledger" });
    const german = await openForm(server.browser("de"), party.request().url);
    const ledger = await openForm(server.browser(), elsewhere.request().url);
    const empty = await (await openAnew()).post({ username: "", password: "" });
    const refused = await refuse(await openAnew(), "rita");
    const plain = (await openAnew()).page;
    const all = [german.page, ledger.page, empty, refused, plain];
    expect(new Set(all.map((page) => faceless(page))).size).toBe(all.length);
    expect(ledger.page.body).toContain("Harbour Ledger");
    expect(plain.body).not.toContain("Harbour Ledger");
  });
});
