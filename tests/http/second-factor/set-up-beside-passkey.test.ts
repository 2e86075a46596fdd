import { expect, test } from "vitest";
import { listWebauthnCredentials } from "#app/db/repositories/webauthn-credentials.server.ts";
import { givePasskey, newKey } from "#tests/support/factors.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { startCeremony, tokenOf } from "./calls.ts";
import { openStep, readStep } from "./steps.ts";

const server = await serverOfFile({ env: { MFA_POLICY: "required", PASSKEYS: "off" } });
const party = await server.parties.create({ firstParty: true });

test("a security key that is set up beside a passkey that is turned off gets the name, and the passkey keeps its own", async () => {
  const anna = await server.users.create();
  const passkey = await givePasskey(server, anna);
  server.clock.advance(60);
  const step = await openStep(server.browser(), party.request().url, anna);
  const key = newKey(server);
  const { sessionId, ...options } = await startCeremony(step, "/mfa/init-fido2-registration");
  const credentialJson = JSON.stringify(key.register(options));
  const mfa_token = tokenOf(await step.call("/mfa/setup-fido2", { sessionId, credentialJson }));
  const posted = await step.post("/mfa/setup", { mfa_token });
  const naming = readStep(step.browser, await step.browser.get(posted.location ?? ""));
  expect(naming.page.page().one("input", { name: "name" }).attributes.value).toBe("Security key");
  await naming.post("/mfa/setup", { method: "fido2", name: "Key ring" });
  const names = (await listWebauthnCredentials(server.context.store, anna.id)).map(({ id, name }) => [id, name]);
  expect(names).toEqual([
    [passkey.id, "Passkey"],
    [key.id, "Key ring"],
  ]);
});
