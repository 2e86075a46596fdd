import { expect, test } from "vitest";
import { stateOf } from "#tests/http/login/open-form.ts";
import { giveKey, givePasskey, giveTotp } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createChain, statusAndBody } from "./api.ts";
import { TOTP_REMOVAL, TWO_STEP, visit } from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

const server = await serverOfFile({ env: { PASSKEYS: "off" } });
const settingsClient = await createSettingsClient(server);

test("without passkeys, none is registered, and no page leads to one; existing ones can be removed", async () => {
  const anna = await server.users.create();
  const visitor = await visit(server, settingsClient, anna);
  const page = await visitor.open(TWO_STEP);
  expect(page.page().text).not.toMatch(/passkey/i);
  const unavailable = [400, { error: "security key refused", reason: "unavailable" }];
  const chain = createChain(server, String(stateOf(page).token));
  expect(statusAndBody(await chain.post("mfa-init-passkey"))).toEqual(unavailable);
  const body = { sessionId: "x", credentialJson: "{}" };
  expect(statusAndBody(await chain.post("mfa-verify-passkey", body))).toEqual(unavailable);
  expect((await visitor.open("/manage/mfa/register-passkey")).status).toBe(404);
  expect((await visitor.open("/.well-known/passkey-endpoints")).status).toBe(404);
  const { id } = await givePasskey(server, anna);
  expect((await visitor.open(TWO_STEP)).page().text).toContain("Signing in with a passkey is currently turned off.");
  expect((await visitor.send(`/manage/mfa/keys/${id}/remove`)).location).toContain("status=passkey-removed");
});

test("without passkeys, the removal of the last other factor does not name those that are stored", async () => {
  const anna = await server.users.create();
  const visitor = await visit(server, settingsClient, anna);
  const passkey = await givePasskey(server, anna);
  const warnings = async (path: string) => (await visitor.open(path)).page().all("div", { class: "alert" });
  const ofPasskey = `/manage/mfa/keys/${passkey.id}/remove`;
  expect(await warnings(ofPasskey)).toEqual([]);
  const key = await giveKey(server, anna);
  const ofKey = `/manage/mfa/keys/${key.id}/remove`;
  const page = (await visitor.open(ofKey)).page();
  expect(page.text).toContain("your only second factor");
  expect(page.text).not.toMatch(/passkey/i);
  await visitor.send(ofKey);
  await giveTotp(server, anna);
  expect((await warnings(TOTP_REMOVAL)).map(({ text }) => text)).toEqual([
    expect.stringContaining("your only second factor"),
  ]);
  expect((await visitor.open(TOTP_REMOVAL)).page().text).not.toMatch(/passkey/i);
  expect(await warnings(ofPasskey)).toEqual([]);
});
