import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Finding } from "../bench.ts";
import { type Gatehouse, postForm } from "../gatehouse.ts";
import { createBrowser } from "../http-client.ts";
import { type Kind, measureInterleaved } from "../interleaved.ts";

const STATUS_PAGE = "/password-reset/request-status?status=success";

/** Waits for work that continues after the response, so that it does not delay the next request. */
const PAUSE_MS = 15;

const KINDS = [
  // Each user only a few times, because requests over the mail limit behave differently.
  request("known user", ({ mailUsernames }, count) => mailUsernames[count % mailUsernames.length] ?? ""),
  request("unknown user", (_gatehouse, count) => `nobody-${count}`),
  request("blocked user", ({ blockedUsername }) => blockedUsername),
  request("user without e-mail", ({ usernames }, count) => usernames[count % usernames.length] ?? ""),
] as const;

/** Compares response times of password reset requests, which must not reveal whether an account exists. */
export function measureResetRequests(bench: Bench): Promise<Finding[]> {
  return measureInterleaved(bench, KINDS, 2 * bench.options.effort.timedPosts);
}

function request(what: string, usernameOf: (gatehouse: Gatehouse, count: number) => string): Kind {
  return {
    what: `reset request, ${what}`,
    async perform({ gatehouse, http, nextUser, product }, count) {
      const browser = createBrowser(http, nextUser().address);
      const page = await browser.get(new URL("/password-reset/request-form", gatehouse.url));
      const before = await product.process.processorMs();
      const startedAt = performance.now();
      const response = await postForm(browser, page, "/password-reset/request", {
        username: usernameOf(gatehouse, count),
      });
      const elapsedMs = performance.now() - startedAt;
      if (response.headers.location !== STATUS_PAGE) {
        throw new Error(`a reset request was not accepted: ${response.status} ${response.body.slice(0, 500)}`);
      }
      await sleep(PAUSE_MS);
      return { elapsedMs, processorMs: (await product.process.processorMs()) - before };
    },
  };
}
