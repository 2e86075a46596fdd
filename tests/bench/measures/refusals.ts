import type { Bench, Finding } from "../bench.ts";
import { postLogin } from "../gatehouse.ts";
import type { Answer } from "../http-client.ts";
import { median, ratios } from "../statistics.ts";
import { openLoginPage } from "./login-page.ts";

/** Further apart than this, and a stopwatch tells who has an account. */
const TOLERANCE = 0.05;

type Kind = {
  what: string;
  status: number;
  typed: (bench: Bench, count: number) => { username: string; password: string };
};

const SUCCESS: Kind = { what: "right password", status: 303, typed: ({ nextPerson }) => nextPerson() };

const REFUSED: readonly Kind[] = [
  {
    what: "wrong password",
    status: 401,
    typed: ({ nextPerson, gatehouse }) => ({ username: nextPerson().username, password: `${gatehouse.password}x` }),
  },
  {
    what: "unknown user",
    status: 401,
    typed: ({ gatehouse }, count) => ({ username: `nobody-${count}`, password: gatehouse.password }),
  },
];

type Sample = { elapsedMs: number; processorMs: number };

/** What a refused login form costs beside an accepted one: time until the answer, and processor time. Kinds in turn, one post at a time. */
export async function measureRefusals(bench: Bench): Promise<Finding[]> {
  const kinds = [SUCCESS, ...REFUSED];
  const samples = new Map<Kind, Sample[]>(kinds.map((kind) => [kind, []]));
  for (let count = 0; count < bench.options.effort.timedPosts; count += 1) {
    // Another order each time: none always comes after the same one.
    for (let turn = 0; turn < kinds.length; turn += 1) {
      const kind = kinds[(turn + count) % kinds.length] ?? SUCCESS;
      samples.get(kind)?.push(await post(bench, kind, count));
    }
  }
  return REFUSED.map((kind) => compare(kind, samples.get(kind) ?? [], samples.get(SUCCESS) ?? []));
}

async function post(bench: Bench, kind: Kind, count: number): Promise<Sample> {
  const { browser, answer: page } = await openLoginPage(bench);
  const { process } = bench.product;
  const before = await process.processorMs();
  const begin = performance.now();
  const answer = await postLogin(browser, page, kind.typed(bench, count));
  const elapsedMs = performance.now() - begin;
  requireStatus(answer, kind);
  return { elapsedMs, processorMs: (await process.processorMs()) - before };
}

function requireStatus({ status, body }: Answer, kind: Kind): void {
  if (status === kind.status) return;
  throw new Error(`Expected ${kind.status} for "${kind.what}", got ${status}: ${body.slice(0, 500)}`);
}

function compare({ what }: Kind, ours: readonly Sample[], success: readonly Sample[]): Finding {
  const elapsed = ours.map(({ elapsedMs }) => elapsedMs);
  const reference = success.map(({ elapsedMs }) => elapsedMs);
  const ratio = median(elapsed) / median(reference);
  return {
    what: `login post, ${what}`,
    unit: "ms",
    ours: median(elapsed),
    reference: { what: `login post, ${SUCCESS.what}`, value: median(reference) },
    ratio: { ...ratios(elapsed, reference), median: ratio },
    target: { text: `1 ± ${TOLERANCE}`, met: Math.abs(ratio - 1) <= TOLERANCE },
    details: {
      samples: ours.length,
      processorMs: {
        ours: median(ours.map((one) => one.processorMs)),
        reference: median(success.map((one) => one.processorMs)),
      },
    },
  };
}
