import { expect } from "vitest";
import { blockUser } from "#app/domain/user/block.server.ts";
import { setUser } from "#app/domain/user/set.server.ts";
import { showUser } from "#app/domain/user/show.server.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { refusalOf } from "#tests/http/login/open-form.ts";
import { followRedirects, open, typePassword } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import {
  choose,
  ERROR_TOKEN,
  NEW_PASSWORD,
  openLink,
  redirectTarget,
  SUCCESS,
} from "#tests/http/password-reset/steps.ts";
import type { Installation } from "#tests/http/restore/installation.ts";
import { openStep } from "#tests/http/second-factor/steps.ts";
import { type Browser, createBrowser } from "#tests/support/browser-jar.ts";
import type { TestApp } from "#tests/support/factors.ts";
import { type AuthorizationRequest, readTokens } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";

/** Performs changes one after the other and records which of them the server has acknowledged. */
export type Worker = {
  /** Runs until `isOver` or until everything is done. Rejects on a broken connection or an unexpected response. */
  work(isOver: () => boolean): Promise<void>;
  /** Throws if an acknowledged change is missing. */
  check(): Promise<void>;
};

type WorkerDeps = {
  office: Pick<Installation, "party" | "server" | "administer">;
  /** Called after each acknowledged change. */
  acknowledge: () => void;
};

const MOST_SIGN_INS = 100;
/** Number of refreshes after each sign-in. */
const ROTATIONS = 4;

/** The result of one sign-in. `refreshTokens`: the newest last. `lost`: a code or token was sent without a response. */
type SignIn = {
  browser: Browser;
  code: string;
  request: AuthorizationRequest;
  refreshTokens: string[];
  lost: boolean;
};

/** Signs in repeatedly, each time in a new browser; the application exchanges the code and refreshes its tokens. */
export function signInWorker(
  { office, acknowledge }: WorkerDeps,
  { id, username }: { id: string; username: string },
): Worker {
  const { party, server } = office;
  const signIns: SignIn[] = [];

  async function signIn(): Promise<SignIn> {
    const browser = createBrowser({ base: server.url });
    const request = party.request({ scope: "openid offline" });
    const form = await open(browser, request.url);
    const end = await typePassword(browser, form, { username, password: TEST_PASSWORD });
    const done = { browser, request, code: codeOf(end), refreshTokens: [], lost: false };
    signIns.push(done);
    acknowledge();
    return done;
  }

  async function fetchTokens(signedIn: SignIn, ask: () => ReturnType<typeof party.refresh>) {
    signedIn.lost = true;
    signedIn.refreshTokens.push(readTokens(await ask()).refreshToken);
    signedIn.lost = false;
    acknowledge();
  }

  async function checkTokens({ code, request, refreshTokens, lost }: SignIn) {
    const newest = refreshTokens.at(-1);
    if (newest === undefined) {
      if (!lost) readTokens(await party.exchange(code, request));
      return;
    }
    if (!lost) readTokens(await party.refresh(newest));
    // Last, because each of these revokes the family. Within the leeway, an unused successor is issued again.
    const isSuccessorUsed = refreshTokens.length > (lost ? 2 : 1);
    if (isSuccessorUsed) expect((await party.refresh(refreshTokens[0] ?? "")).error()).toBe("invalid_grant");
    expect((await party.exchange(code, request)).error()).toBe("invalid_grant");
  }

  return {
    async work(isOver) {
      for (let count = 0; count < MOST_SIGN_INS && !isOver(); count += 1) {
        const signedIn = await signIn();
        // Every third application exchanges its code late.
        if (count % 3 === 2) continue;
        await fetchTokens(signedIn, () => party.exchange(signedIn.code, signedIn.request));
        for (let rotation = 0; rotation < ROTATIONS && !isOver(); rotation += 1) {
          await fetchTokens(signedIn, () => party.refresh(signedIn.refreshTokens.at(-1) ?? ""));
        }
      }
    },
    async check() {
      for (const signedIn of signIns) {
        expect(await findSignedInUser(party, signedIn.browser)).toBe(id);
        await checkTokens(signedIn);
      }
    },
  };
}

/** Sets a new password with a mailed link. */
export function passwordResetWorker(
  { office, acknowledge }: WorkerDeps,
  { username, link }: { username: string; link: string },
): Worker {
  const { party, server } = office;
  let state: "not sent" | "sent" | "done" = "not sent";
  return {
    async work() {
      const browser = createBrowser({ base: server.url });
      const page = await openLink(browser, link);
      state = "sent";
      const response = await choose(browser, page);
      if (redirectTarget(response) !== SUCCESS) {
        throw new Error(`expected a new password, got ${response.status}: ${redirectTarget(response)}`);
      }
      state = "done";
      acknowledge();
    },
    async check() {
      const page = await openLink(createBrowser({ base: server.url }), link);
      const isUsed = page.url.endsWith(ERROR_TOKEN);
      if (state !== "sent") expect([username, isUsed]).toEqual([username, state === "done"]);
      // If the link was used without a response, the new password must be complete.
      const password = isUsed ? NEW_PASSWORD : TEST_PASSWORD;
      const browser = createBrowser({ base: server.url });
      const form = await open(browser, party.request().url);
      codeOf(await typePassword(browser, form, { username, password }));
    },
  };
}

/** Signs in with a second factor: first a code of the app, then recovery codes. */
export function secondFactorWorker(
  { office, acknowledge }: WorkerDeps,
  { username, app, recoveryCodes }: { username: string; app: TestApp; recoveryCodes: readonly string[] },
): Worker {
  const { party, server } = office;
  const usedCodes: { code: string; method: string }[] = [];
  const step = () =>
    openStep(createBrowser({ base: server.url }), party.request().url, { username, password: TEST_PASSWORD });

  async function submitCode(typed: { code: string; method: string }) {
    const opened = await step();
    codeOf(await followRedirects(opened.browser, await opened.post("/mfa/verify", typed)));
    usedCodes.push(typed);
    acknowledge();
  }

  return {
    async work(isOver) {
      await submitCode({ code: await app.code(), method: "totp" });
      for (const code of recoveryCodes) {
        if (isOver()) return;
        await submitCode({ code, method: "recovery" });
      }
    },
    async check() {
      for (const typed of usedCodes) {
        const opened = await step();
        const refusal = refusalOf(await opened.post("/mfa/verify", typed));
        expect([typed.method, refusal]).toEqual([typed.method, { status: 400, error: "invalid verification code" }]);
      }
    },
  };
}

/** Blocks a user and changes a name while the server runs. */
export function administrationWorker({ office, acknowledge }: WorkerDeps, username: string): Worker {
  let isBlocked = false;
  let isRenamed = false;
  return {
    work: () =>
      office.administer(async (context) => {
        await blockUser(context, username);
        isBlocked = true;
        acknowledge();
        await setUser(context, username, { displayName: "Gone" });
        isRenamed = true;
        acknowledge();
      }),
    async check() {
      const { status, displayName } = await office.administer((context) => showUser(context, username));
      if (isBlocked) expect([username, status]).toEqual([username, "blocked"]);
      if (isRenamed) expect([username, displayName]).toEqual([username, "Gone"]);
    },
  };
}
