import { expect, test } from "vitest";
import { findUsersWithFactors } from "#app/db/repositories/restore.server.ts";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { openLink } from "#tests/http/password-reset/steps.ts";
import { visit } from "#tests/http/settings/pages.ts";
import { createSettingsClient } from "#tests/http/settings/steps.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { givePasskey } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { adminLink, confirm } from "./steps.ts";

const server = await serverOfFile();
const settingsClient = await createSettingsClient(server);
let count = 0;

const at = eachTest(async () => {
  count += 1;
  const email = `passkeys-${count}@office.example`;
  const anna = { ...(await server.users.create({ email })), email };
  const visitor = await visit(server, settingsClient, anna);
  return { anna, visitor, passkey: await givePasskey(server, anna) };
});

const keysOfAnna = () => listWebauthnCredentials(server.context.store, at.anna.id);

// Proves requirement 257.
test("a link that removes second factors removes passkeys", async () => {
  const browser = server.browser();
  await confirm(browser, await openLink(browser, await adminLink(server, at.anna)));
  expect(await keysOfAnna()).toEqual([]);
});

// Proves requirement 257.
test("a restore counts passkeys as factors: without their removal, the user stays blocked", async () => {
  expect(await findUsersWithFactors(server.context.store, [at.anna.id])).toMatchObject([{ factors: 1 }]);
});

// Proves requirement 257.
test("a removed passkey is recorded as a removed factor, which a restore repeats", async () => {
  await at.visitor.send(`/manage/mfa/keys/${at.passkey.id}/remove`);
  expect(await keysOfAnna()).toEqual([]);
  const ofAnna = server.lines().filter(({ userId }) => userId === at.anna.id);
  expect(ofAnna).toContainEqual(expect.objectContaining({ event: "factor.removed", reason: "passkey" }));
});
