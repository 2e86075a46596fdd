import { eq } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { resetFactors } from "#app/domain/factor-reset/reset.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { endSessionsOfUser } from "#app/domain/user/end-sessions.server.ts";
import { createFactorResetLink } from "#app/domain/user/links.server.ts";
import { setUserPassword } from "#app/domain/user/set-password.server.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { choose, mailsTo, NEW_PASSWORD, obtainLink, openLink } from "#tests/http/password-reset/steps.ts";
import type { Browser } from "#tests/support/browser-jar.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { serverOfFile, type TestUser } from "#tests/support/server.ts";

const NEW_BROWSER = "New sign-in to your account";
let anna: TestUser & { email: string };
let browser: Browser;
let count = 0;

const server = await serverOfFile();
const party = await server.parties.create({ firstParty: true });

beforeEach(async () => {
  count += 1;
  const email = `known-${count}@office.example`;
  anna = { ...(await server.users.create({ email })), email };
  browser = server.browser();
  codeOf(await signIn(browser, party.request(), anna));
  server.clock.advance(60);
});

async function knownBrowsers(): Promise<number> {
  const { t, q } = server.context.store;
  return q.$count(t.knownBrowsers, eq(t.knownBrowsers.userId, anna.id));
}

const ENDS: [string, () => Promise<TestUser>][] = [
  [
    "a mailed password reset",
    async () => {
      const stranger = server.browser();
      await choose(stranger, await openLink(stranger, await obtainLink(server, anna)));
      return { ...anna, password: NEW_PASSWORD };
    },
  ],
  [
    "a block",
    async () => {
      await blockUser(server.context, anna.username);
      expect(await knownBrowsers()).toBe(0);
      await unblockUser(server.context, anna.username);
      return anna;
    },
  ],
  [
    "user end-sessions",
    async () => {
      await endSessionsOfUser(server.context, anna.username);
      return anna;
    },
  ],
  [
    "user set-password",
    async () => {
      await setUserPassword(server.context, anna.username, NEW_PASSWORD);
      return { ...anna, password: NEW_PASSWORD };
    },
  ],
  [
    "a factor reset",
    async () => {
      await giveTotp(server, anna);
      const { url } = await createFactorResetLink(server.context, anna.username);
      const resetToken = new URL(url).searchParams.get("reset_token") ?? "";
      const from = { address: "192.0.2.1", userAgent: "", requestId: "" };
      expect(await resetFactors(server.context, { resetToken, ...from })).toMatchObject({ kind: "done" });
      return anna;
    },
  ],
];

// Proves requirement 136.
test.each(ENDS)("are removed with %s; the next sign-in, in the same browser too, sends a mail", async (_what, end) => {
  expect(await knownBrowsers()).toBe(1);
  const user = await end();
  expect(await knownBrowsers()).toBe(0);
  const before = (await server.mails()).filter(({ to }) => to === anna.email).length;
  server.clock.advance(60);
  codeOf(await signIn(browser, party.request(), user));
  const mails = await mailsTo(server, anna.email, before + 1);
  expect(mails.slice(before).map(({ subject }) => subject)).toEqual([NEW_BROWSER]);
});
