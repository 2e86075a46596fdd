// Proves requirement 145.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { open } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import type { RelyingParty } from "#tests/support/relying-party.ts";
import type { Flooded } from "#tests/support/upstream.ts";
import { addProviderUser, connect, type ExternalSetup, startWithProviders } from "./providers.ts";
import { linkTo, signInAt } from "./steps.ts";

const MEGABYTE = 1024 * 1024;
/** Limit for this process, which contains the server, the provider and the buffers of the sockets between them. */
const MAX_GROWTH_BYTES = 100 * MEGABYTE;
/** Upper bound of the bytes in transit when the reader disconnects. */
const MAX_SENT_BYTES = 40 * MEGABYTE;

let setup: ExternalSetup;
let party: RelyingParty;
let sub: string;

// A new server for each test, because a server caches a provider's documents.
beforeEach(async () => {
  setup = await startWithProviders();
  party = await setup.server.parties.create({ firstParty: true });
  const anna = await setup.server.users.create();
  ({ sub } = addProviderUser(setup.upstream.google));
  await connect(setup.server, setup.upstream.google, { sub }, anna.id);
});
afterEach(() => setup?.close());

function processSize() {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage.rss();
}

/** Returns the maximum growth of the process during the work. */
async function growthDuring(work: () => Promise<unknown>) {
  const before = processSize();
  let largest = before;
  const looking = setInterval(() => {
    largest = Math.max(largest, process.memoryUsage.rss());
  }, 5);
  try {
    await work();
  } finally {
    clearInterval(looking);
  }
  return Math.max(largest, process.memoryUsage.rss()) - before;
}

const calls: readonly Flooded[] = ["discovery", "keys", "token"];
const cases = calls.flatMap((at) => (["identity", "gzip"] as const).map((encoding) => ({ at, encoding })));

test.each(cases)(
  "320 MB from the provider ($at, $encoding) are not read: the sign-in fails, the next one succeeds",
  async ({ at, encoding }) => {
    const { google } = setup.upstream;
    const browser = setup.server.browser();
    google.setFaults({ flood: { at, encoding } });
    const growth = await growthDuring(async () => {
      const page =
        at === "discovery"
          ? await open(browser, linkTo(await open(browser, party.request().url), "google"))
          : await signInAt(browser, party.request().url, google, sub);
      expect([page.status, stateOf(page)["login_result"]]).toEqual([
        400,
        expect.objectContaining({ status: "failed", code: "provider failed" }),
      ]);
    });
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    expect(google.flooded()).toBeLessThan(MAX_SENT_BYTES);
    expect(setup.server.lines().some(({ reason }) => reason === "google: answer larger than 1 MB")).toBe(true);
    expect(await findSignedInUser(party, browser)).toBe("login_required");

    google.clearFaults();
    const signedIn = await signInAt(setup.server.browser(), party.request().url, google, sub);
    expect(redirectParameters(signedIn)).toHaveProperty("code");
  },
);
