import { describe, expect, test } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { endSessionsOfUser } from "#app/domain/user/end-sessions.server.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { CHANGES, CHANGES_ENV, type Change, effectsOn, type PreparedChange } from "./changes.ts";

const server = await serverOfFile({ env: CHANGES_ENV, passwordChecks: "every" });

async function expectNoEffect({ user, send }: PreparedChange, from: Parameters<PreparedChange["send"]>[0]) {
  const before = await effectsOn(server, user);
  expect((await send(from)).status).toBeLessThan(500);
  expect(await effectsOn(server, user)).toEqual(before);
}

// Proves requirement 130.
describe("a change that is sent twice simultaneously takes effect once, without a 500", () => {
  test.each(CHANGES)("$name", async ({ prepare, isRepeatable }) => {
    const once = await prepare(server);
    await once.send(once.browser);
    const single = await effectsOn(server, once.user);

    const { user, browser, send } = await prepare(server);
    const responses = await Promise.all([send(browser), send(browser)]);
    expect(responses.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    const { rows, events } = await effectsOn(server, user);
    expect(rows).toEqual(single.rows);
    if (isRepeatable !== true) expect(events).toEqual(single.events);
  });
});

describe("a change has no effect", () => {
  const isBound = ({ isPublic }: Change) => isPublic !== true;
  const needsSession = ({ needsNoSession }: Change) => needsNoSession !== true;

  // Proves requirement 131.
  test.each(CHANGES.filter(isBound))("when another browser sends it with the same tokens: $name", async (change) => {
    const prepared = await change.prepare(server);
    const otherBrowser = server.browser();
    await otherBrowser.get("/login");
    await expectNoEffect(prepared, otherBrowser);
  });

  // Proves requirement 131.
  test.each(CHANGES.filter(needsSession))("after an administrator ended all sessions: $name", async (change) => {
    const prepared = await change.prepare(server);
    await endSessionsOfUser(server.context, prepared.user.username);
    await expectNoEffect(prepared, prepared.browser);
  });

  // Proves requirement 131.
  test.each(CHANGES)("after the user was blocked: $name", async (change) => {
    const prepared = await change.prepare(server);
    await blockUser(server.context, prepared.user.username);
    await expectNoEffect(prepared, prepared.browser);
  });
});
