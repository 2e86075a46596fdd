import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { obtainTokens } from "#tests/http/oidc/browser-steps.ts";
import { type LogoutReceiver, startLogoutReceiver } from "#tests/support/logout-receiver.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";
import { startTwoServers, type TwoServers } from "./two-servers.ts";

let server: TwoServers;
let receiver: LogoutReceiver;
let party: RelyingParty;

beforeAll(async () => {
  server = await startTwoServers();
  receiver = await startLogoutReceiver();
  party = await server.parties.create({ firstParty: true, backchannelLogoutUri: receiver.uri });
}, 120_000);

afterAll(async () => {
  await server?.close();
  await receiver?.close();
});

// Proves requirement 132.
test("of two processes that read the queue simultaneously, one sends each logout", async () => {
  const anna = await server.users.create();
  const sids: unknown[] = [];
  for (let count = 0; count < 12; count += 1) {
    const { idToken } = await obtainTokens(server.browser(), party, party.request(), anna);
    sids.push(decodeJwt(idToken).sid);
  }
  const { store } = server.context;
  const rows = sids.map((sid) => ({ id: String(sid), sid: String(sid), userId: anna.id, clientId: party.clientId }));
  const now = new Date();
  await store.q
    .insert(store.t.backchannelLogouts)
    .values(rows.map((row) => ({ ...row, createdAt: now, nextAttemptAt: now })));
  await vi.waitFor(
    async () => {
      const left = await store.q.select().from(store.t.backchannelLogouts);
      expect(left.every(({ sentAt, attempts }) => sentAt !== null && attempts === 1)).toBe(true);
    },
    { timeout: 20_000, interval: 50 },
  );
  expect(
    receiver
      .tokens()
      .map(({ sid }) => sid)
      .toSorted(),
  ).toEqual(sids.toSorted());
}, 60_000);
