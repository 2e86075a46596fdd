import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANGES, CHANGES_ENV, effectsOn } from "#tests/http/attacks/changes.ts";
import { startTwoServers, type TwoServers } from "./two-servers.ts";

let servers: TwoServers;

beforeAll(async () => {
  servers = await startTwoServers(CHANGES_ENV);
});
afterAll(() => servers?.close());

// Proves requirement 130.
describe("a change that reaches both processes simultaneously takes effect once, without a 500", () => {
  test.each(CHANGES)("$name", async ({ prepare, isRepeatable }) => {
    const once = await prepare(servers);
    await once.send(once.browser);
    const single = await effectsOn(servers, once.user);

    const { user, browser, send } = await prepare(servers);
    const responses = await servers.sendToBoth(browser, (at, { headers }) =>
      send(at, { headers: { ...headers, origin: servers.url } }),
    );
    expect(responses.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    const { rows, events } = await effectsOn(servers, user);
    expect(rows).toEqual(single.rows);
    if (isRepeatable !== true) expect(events).toEqual(single.events);
  });
});
