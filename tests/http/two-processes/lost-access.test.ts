import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { removeClient } from "#app/domain/client/remove.server.ts";
import { setClient } from "#app/domain/client/set.server.ts";
import { withdrawConsents } from "#app/domain/consent/administer.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { removeUser } from "#app/domain/user/remove.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import type { FakeProviderUser } from "#demo/fake-provider/types.ts";
import { addProviderUser, connect } from "#tests/http/external/providers.ts";
import { signInAt } from "#tests/http/external/steps.ts";
import { followRedirects, obtainTokens, open, signIn, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf, hasForm, redirectParameters } from "#tests/http/oidc/responses.ts";
import type { Browser, HttpResponse } from "#tests/support/browser-jar.ts";
import type { ChildServer } from "#tests/support/child-server.ts";
import { dialects } from "#tests/support/databases.ts";
import { freePort } from "#tests/support/free-port.ts";
import { type LogoutReceiver, startLogoutReceiver } from "#tests/support/logout-receiver.ts";
import { type AuthorizationRequest, type RelyingParty, readTokens, type Tokens } from "#tests/support/relying-party.ts";
import type { TestUser } from "#tests/support/server.ts";
import { startUpstream, type TestUpstream } from "#tests/support/upstream.ts";
import { type ServersAndCommand, startServersAndCommand } from "./two-servers.ts";

const SCOPE = "openid offline";

let server: ServersAndCommand;
let receiver: LogoutReceiver;
let google: TestUpstream;
/** The group that may use the applications of these tests, and one that may not. */
let team: string;
let others: string;

beforeAll(async () => {
  const [dialect] = dialects;
  if (dialect === undefined) throw new Error("the test run has no database");
  const port = await freePort();
  google = await startUpstream("google", { appUrl: `http://localhost:${port}` });
  server = await startServersAndCommand(dialect, google.env, port);
  receiver = await startLogoutReceiver();
  team = (await server.groups.create()).name;
  others = (await server.groups.create()).name;
}, 120_000);

afterAll(async () => {
  await server?.close();
  await receiver?.close();
  await google?.close();
});

beforeEach(() => {
  server.sendOnlyTo(null);
  receiver.clear();
});

/** A user with access to an application, and with a connected account at Google. */
type Access = { user: TestUser; account: FakeProviderUser; party: RelyingParty };

/** Everything that a user got at one process before the access is lost: session, tokens and an unused code. */
type Held = { at: ChildServer; browser: Browser; tokens: Tokens; request: AuthorizationRequest; code: string };

/**
 * Results of each path at one process. A sign-in ends with "code", "no access" or "consent" for these pages, "sign-in" for
 * the sign-in page, "error page", or the error that the application gets.
 */
type Results = {
  password: string;
  provider: string;
  session: string;
  silent: string;
  choice: string;
  refresh: string | null;
  code: string | null;
  userinfo: number;
  introspection: unknown;
};

/** A change that takes access away. `regain`: gives it back, unless that is impossible. `ends`: of the sign-ins after it. */
type Loss = {
  firstParty?: boolean;
  lose(access: Access): Promise<unknown>;
  regain: ((access: Access) => Promise<unknown>) | null;
  ends: Results;
};

type SignIns = Pick<Results, "password" | "provider" | "session" | "silent" | "choice">;

const CLOSED: SignIns = {
  password: "no access",
  provider: "no access",
  session: "no access",
  silent: "access_denied",
  choice: "no access",
};
const SIGNED_OUT: SignIns = {
  password: "sign-in",
  provider: "sign-in",
  session: "sign-in",
  silent: "login_required",
  choice: "sign-in",
};
const ASKED: SignIns = {
  password: "consent",
  provider: "consent",
  session: "consent",
  silent: "consent_required",
  choice: "consent",
};
const ENDED = {
  refresh: "invalid_grant",
  code: "invalid_grant",
  userinfo: 401,
  introspection: { active: false },
};

const LOSSES: Readonly<Record<string, Loss>> = {
  "a group that the user leaves": {
    lose: ({ user }) => setUser(server.context, user.username, { removeGroups: [team] }),
    regain: ({ user }) => setUser(server.context, user.username, { addGroups: [team] }),
    ends: { ...CLOSED, ...ENDED },
  },
  "an application that is closed": {
    lose: ({ party }) => setClient(server.context, party.clientId, { allowGroups: [others], disallowGroups: [team] }),
    regain: ({ party }) => setClient(server.context, party.clientId, { allowGroups: [team] }),
    ends: { ...CLOSED, ...ENDED },
  },
  "a blocked user": {
    lose: ({ user }) => blockUser(server.context, user.username),
    regain: ({ user }) => unblockUser(server.context, user.username),
    ends: { ...SIGNED_OUT, ...ENDED },
  },
  "a removed user": {
    lose: ({ user }) => removeUser(server.context, user.username),
    regain: null,
    ends: { ...SIGNED_OUT, ...ENDED },
  },
  "a withdrawn consent": {
    firstParty: false,
    lose: ({ user, party }) => withdrawConsents(server.context, { username: user.username, clientId: party.clientId }),
    // The user gives it again.
    regain: async () => {},
    ends: { ...ASKED, ...ENDED },
  },
  "an application that is removed": {
    lose: ({ party }) => removeClient(server.context, party.clientId),
    regain: null,
    // The application itself is not accepted any more.
    ends: {
      ...{
        password: "error page",
        provider: "error page",
        session: "error page",
        silent: "error page",
        choice: "error page",
      },
      ...{ refresh: "invalid_client", code: "invalid_client", userinfo: 401 },
      introspection: expect.objectContaining({ error: "invalid_client" }),
    },
  },
};

async function createAccess({ firstParty = true }: Pick<Loss, "firstParty"> = {}): Promise<Access> {
  const party = await server.parties.create({
    ...{ firstParty, access: "groups", groups: [team], scopes: ["openid", "offline"] },
    backchannelLogoutUri: receiver.uri,
  });
  const user = await server.users.create();
  await setUser(server.context, user.username, { addGroups: [team] });
  const account = addProviderUser(google);
  await connect(server, google, account, user.id);
  return { user, account, party };
}

function obtain({ user, party }: Access, browser = server.browser()): Promise<Tokens> {
  return obtainTokens(browser, party, party.request({ scope: SCOPE }), user);
}

/** Signs in at one process; the application has tokens, and a code that it has not exchanged. */
async function hold(access: Access, at: ChildServer): Promise<Held> {
  server.sendOnlyTo(at);
  const browser = server.browser();
  const tokens = await obtain(access, browser);
  const request = access.party.request();
  return { at, browser, tokens, request, code: codeOf(await open(browser, request.url)) };
}

/** Tries all paths at the process. */
async function tryAll(
  { user, account, party }: Access,
  { at, browser, tokens, request, code }: Held,
): Promise<Results> {
  server.sendOnlyTo(at);
  const stranger = server.browser();
  const form = await open(stranger, party.request().url);
  return {
    password: endOf(hasForm(form, "/login/native") ? await typePassword(stranger, form, user) : form),
    provider: endOf(
      hasForm(form, "/login/native")
        ? await signInAt(server.browser(), party.request().url, google, account.sub)
        : form,
    ),
    session: endOf(await open(browser, party.request().url)),
    // One response: the application gets the error at once, without pages in between.
    silent: endOf(await browser.get(party.request({ prompt: "none" }).url)),
    choice: endOf(await chooseAccount(browser, party)),
    refresh: (await party.refresh(tokens.refreshToken)).error(),
    code: (await party.exchange(code, request)).error(),
    userinfo: (await party.userinfo(tokens.accessToken)).status,
    introspection: (await party.introspect(tokens.accessToken)).json(),
  };
}

async function chooseAccount(browser: Browser, party: RelyingParty): Promise<HttpResponse> {
  const page = await open(browser, party.request({ prompt: "select_account" }).url);
  if (!hasForm(page, "/login/proceed")) return page;
  return followRedirects(browser, await browser.submit(page, page.page().form("/login/proceed")));
}

function endOf(response: HttpResponse): string {
  if (response.location !== null) {
    const { origin, pathname } = new URL(response.location);
    if (origin === server.url) return pathname === "/error" ? "error page" : pathname;
    const { code, error = "" } = redirectParameters(response);
    return code === undefined ? error : "code";
  }
  if (hasForm(response, "/login/no-access")) return "no access";
  if (hasForm(response, "/consent/accept")) return "consent";
  if (hasForm(response, "/login/native")) return "sign-in";
  const { pathname } = new URL(response.url);
  return pathname === "/error" ? "error page" : pathname;
}

/** Waits until all logouts of the user are sent; returns the number of attempts of each. */
async function attemptsFor(user: TestUser): Promise<number[]> {
  const { q, t } = server.context.store;
  const own = async () => (await q.select().from(t.backchannelLogouts)).filter(({ userId }) => userId === user.id);
  await expect.poll(async () => (await own()).filter(({ sentAt }) => sentAt === null)).toEqual([]);
  return (await own()).map(({ attempts }) => attempts);
}

/** Returns the sessions of the user that the application was notified of, once for each logout token. */
const sidsFor = ({ id }: TestUser) =>
  receiver
    .tokens()
    .filter(({ sub }) => sub === id)
    .map(({ sid }) => sid)
    .toSorted();

const sidsOf = (all: readonly Tokens[]) => all.map(({ idToken }) => decodeJwt(idToken).sid).toSorted();

describe.each(Object.entries(LOSSES))("%s", (_name, loss) => {
  // Proves requirement 263.
  test("ends every path at each process at once, until the access is regained", async () => {
    const access = await createAccess(loss);
    const held: Held[] = [];
    for (const child of server.children) held.push(await hold(access, child));
    await loss.lose(access);
    for (const one of held) expect(await tryAll(access, one)).toEqual(loss.ends);

    expect(await attemptsFor(access.user)).toEqual(held.map(() => 1));
    expect(sidsFor(access.user)).toEqual(sidsOf(held.map(({ tokens }) => tokens)));

    if (loss.regain === null) return;
    await loss.regain(access);
    for (const { at, browser, tokens } of held) {
      server.sendOnlyTo(at);
      const again = await obtain(access, browser);
      expect((await access.party.userinfo(again.accessToken)).status).toBe(200);
      expect((await access.party.refresh(again.refreshToken)).status).toBe(200);
      // Tokens that were issued before the loss stay invalid.
      expect((await access.party.userinfo(tokens.accessToken)).status).toBe(401);
      expect((await access.party.refresh(tokens.refreshToken)).error()).toBe("invalid_grant");
    }
  });

  // Proves requirement 263.
  test("leaves no token of the refreshes and sign-ins that run at all processes at that moment", async () => {
    const access = await createAccess(loss);
    const families = [await obtain(access), await obtain(access)];
    const browser = server.browser();
    const first = await obtain(access, browser);
    const issued = [...families, first];
    let isLost = false;
    /** Refreshes until the application gets no tokens any more. */
    const chase = async (tokens: Tokens) => {
      for (let latest = tokens; ; ) {
        const responses = await Promise.all([1, 2].map(() => access.party.refresh(latest.refreshToken)));
        const renewed = responses.filter(({ status }) => status === 200).map(readTokens);
        issued.push(...renewed);
        const [next] = renewed;
        if (next === undefined) return responses.map((response) => response.error());
        latest = next;
      }
    };
    const chaseSession = async () => {
      while (!isLost) {
        const request = access.party.request({ prompt: "none", scope: SCOPE });
        const response = await browser.get(request.url);
        if (endOf(response) !== "code") continue;
        const exchanged = await access.party.exchange(codeOf(response), request);
        if (exchanged.status === 200) issued.push(readTokens(exchanged));
      }
    };
    const running = [Promise.all(families.map(chase)), chaseSession()] as const;
    await loss.lose(access);
    isLost = true;
    const [refused] = await Promise.all(running);
    for (const error of refused.flat()) expect(["invalid_grant", loss.ends.refresh]).toContain(error);
    for (const child of server.children) {
      server.sendOnlyTo(child);
      for (const { accessToken, refreshToken } of issued) {
        expect((await access.party.userinfo(accessToken)).status).toBe(401);
        if (refreshToken !== "") expect((await access.party.refresh(refreshToken)).error()).toBe(loss.ends.refresh);
      }
    }
    const attempts = await attemptsFor(access.user);
    expect(attempts).toEqual(attempts.map(() => 1));
    expect(sidsFor(access.user)).toEqual(sidsOf([...families, first]));
  });
});

test("a sign-in by password that is running when the user leaves the group gets no code", async () => {
  const access = await createAccess();
  const browser = server.browser();
  const page = await open(browser, access.party.request().url);
  await setUser(server.context, access.user.username, { removeGroups: [team] });
  expect(endOf(await typePassword(browser, page, access.user))).toBe("no access");
  await setUser(server.context, access.user.username, { addGroups: [team] });
  expect(endOf(await signIn(browser, access.party.request(), access.user))).toBe("code");
});

test("no process logged an error", () => {
  expect(server.lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
