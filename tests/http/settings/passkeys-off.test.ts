import { expect, test } from "vitest";
import { stateOf } from "#tests/http/login/open-form.ts";
import { givePasskey } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { createChain, statusAndBody } from "./api.ts";
import { TWO_STEP, visit } from "./pages.ts";
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
