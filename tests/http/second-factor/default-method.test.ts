import { beforeEach, describe, expect, test } from "vitest";
import { removeFactors } from "#app/db/repositories/factors.server.ts";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import {
  fill,
  refusalIn,
  statusAndTarget,
  TOTP_REMOVAL,
  TWO_STEP,
  type Visitor,
  visit,
} from "#tests/http/settings/pages.ts";
import { createSettingsClient } from "#tests/http/settings/steps.ts";
import type { HttpResponse } from "#tests/support/browser-jar.ts";
import { giveKey, givePasskey, giveRecoveryCodes, giveTotp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";
import { openStep } from "./steps.ts";

const DEFAULT = "/manage/mfa/default-method";
let anna: TestUser;
let visitor: Visitor;

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  anna = await server.users.create();
  visitor = await visit(server, settingsClient, anna);
  await giveTotp(server, anna);
  await giveKey(server, anna);
});

/** Opens the second step in another browser. */
const openStepPage = async () => (await openStep(server.browser(), party.request().url, anna)).page;

/** Returns the method that the page of the second step asks for. */
function methodOf(page: HttpResponse): string | undefined {
  const { text } = page.page();
  const sentences = {
    choose: "How do you want to confirm?",
    totp: "Your authenticator app shows it.",
    fido2: "Use security key",
  };
  return Object.entries(sentences).find(([, sentence]) => text.includes(sentence))?.[0];
}

/** Follows the link with this text. */
function follow(page: HttpResponse, label: string): Promise<HttpResponse> {
  const link = page
    .page()
    .all("a")
    .find(({ text }) => text === label);
  if (!link) throw new Error(`no link ${label}`);
  return visitor.browser.get(link.attributes.href ?? "");
}

/** Submits the form of the default method on the page of the second factors. */
async function chooses(method: string): Promise<HttpResponse> {
  return fill(visitor.browser, await visitor.open(TWO_STEP), DEFAULT, { method });
}

describe("the default method of a user with an app and a key", () => {
  test("is none at first: the user chooses each time", async () => {
    expect(methodOf(await openStepPage())).toBe("choose");
    const [ask] = (await visitor.open(TWO_STEP)).page().all("input", { value: "ask" });
    expect(ask?.attributes).toHaveProperty("checked");
  });

  test.each([
    ["totp", "Use security key", "fido2"],
    ["fido2", "Use a code from your authenticator app", "totp"],
  ])("is asked for first: %s; the other one is one link away", async (method, label, other) => {
    await giveRecoveryCodes(server, anna);
    expect(statusAndTarget(await chooses(method))).toEqual([303, `${TWO_STEP}?status=default-method-saved`]);
    expect((await visitor.open(TWO_STEP)).page().one("input", { value: method }).attributes).toHaveProperty("checked");
    const step = await openStep(visitor.browser, `${party.request().url}&prompt=login`, anna);
    expect(methodOf(step.page)).toBe(method);
    expect(methodOf(await follow(step.page, label))).toBe(other);
    expect((await follow(step.page, "Use a recovery code")).page().all("input", { name: "code" })).toHaveLength(1);
    await chooses("ask");
    expect(methodOf(await openStepPage())).toBe("choose");
  });

  test("is gone when its factor is removed, also if it is added again", async () => {
    await chooses("totp");
    await visitor.send(TOTP_REMOVAL);
    await giveTotp(server, anna);
    expect(methodOf(await openStepPage())).toBe("choose");
    await chooses("fido2");
    const [key] = await listWebauthnCredentials(server.context.store, anna.id);
    await visitor.send(`${TWO_STEP}/keys/${key?.id}/remove`);
    await giveKey(server, anna);
    expect(methodOf(await openStepPage())).toBe("choose");
    await chooses("totp");
    await removeFactors(server.context.store, anna.id);
    await giveTotp(server, anna);
    await giveKey(server, anna);
    expect(methodOf(await openStepPage())).toBe("choose");
  });

  test("stays when another factor is removed and added again", async () => {
    await chooses("totp");
    const [key] = await listWebauthnCredentials(server.context.store, anna.id);
    await visitor.send(`${TWO_STEP}/keys/${key?.id}/remove`);
    await giveKey(server, anna);
    expect(methodOf(await openStepPage())).toBe("totp");
  });

  test("is not changed by an expired form or an unknown method", async () => {
    await chooses("totp");
    const page = await visitor.open(DEFAULT);
    const stale = await fill(visitor.browser, page, DEFAULT, { method: "fido2", _xsrf: "stale" });
    expect(refusalIn(stale)).toMatchObject({ status: 403, error: "xsrf" });
    expect((await fill(visitor.browser, page, DEFAULT, { method: "recovery" })).status).toBe(400);
    expect(methodOf(await openStepPage())).toBe("totp");
  });
});

test("a user with one kind of factor is offered no default, and cannot store one", async () => {
  const page = await visitor.open(DEFAULT);
  await visitor.send(TOTP_REMOVAL);
  expect(statusAndTarget(await visitor.open(DEFAULT))).toEqual([303, TWO_STEP]);
  expect((await visitor.open(TWO_STEP)).page().all("input", { name: "method" })).toEqual([]);
  const own = (await visitor.open(TWO_STEP)).page();
  expect(own.text).not.toContain("Default method");
  expect(statusAndTarget(await fill(visitor.browser, page, DEFAULT, { method: "fido2" }))).toEqual([303, TWO_STEP]);
  expect((await visitor.stored()).defaultFactor).toBeNull();
});

describe("a user with an app and a passkey, who typed the password", () => {
  test("is asked for the code at once, and can use the passkey instead, and back", async () => {
    const ben = await server.users.create();
    await giveTotp(server, ben);
    await givePasskey(server, ben);
    const browser = server.browser();
    const { page } = await openStep(browser, party.request().url, ben);
    expect(methodOf(page)).toBe("totp");
    const linkIn = (from: HttpResponse, label: string) =>
      from
        .page()
        .all("a")
        .find(({ text }) => text === label)?.attributes.href ?? "";
    const passkey = await browser.get(linkIn(page, "Use your passkey or security key"));
    expect(passkey.page().text).toContain("Confirm with your passkey or security key.");
    expect(methodOf(await browser.get(linkIn(passkey, "Use a code from your authenticator app")))).toBe("totp");
  });

  test("chooses each time if there is a security key, too", async () => {
    await givePasskey(server, anna);
    expect(methodOf(await openStepPage())).toBe("choose");
  });
});
