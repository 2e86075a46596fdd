import type { Bench, Finding } from "../bench.ts";
import { postLogin } from "../gatehouse.ts";
import { type Kind, measureInterleaved } from "../interleaved.ts";
import { openLoginPage } from "./login-page.ts";

type Typed = { username: string; password: string };

const KINDS = [
  loginPost("right password", 303, ({ nextUser }) => nextUser()),
  loginPost("wrong password", 401, ({ nextUser, gatehouse }) => ({
    username: nextUser().username,
    password: `${gatehouse.password}x`,
  })),
  loginPost("unknown user", 401, ({ gatehouse }, count) => ({
    username: `nobody-${count}`,
    password: gatehouse.password,
  })),
] as const;

/** Compares response time and processor time of refused and accepted login forms. */
export function measureRefusals(bench: Bench): Promise<Finding[]> {
  return measureInterleaved(bench, KINDS, bench.options.effort.timedPosts);
}

function loginPost(what: string, status: number, typed: (bench: Bench, count: number) => Typed): Kind {
  return {
    what: `login post, ${what}`,
    async perform(bench, count) {
      const { browser, response: page } = await openLoginPage(bench);
      const { process } = bench.product;
      const before = await process.processorMs();
      const startedAt = performance.now();
      const response = await postLogin(browser, page, typed(bench, count));
      const elapsedMs = performance.now() - startedAt;
      if (response.status !== status) {
        throw new Error(`Expected ${status} for "${what}", got ${response.status}: ${response.body.slice(0, 500)}`);
      }
      return { elapsedMs, processorMs: (await process.processorMs()) - before };
    },
  };
}
