import type { Bench, Finding, Server } from "../bench.ts";
import { passkeyService } from "../gatehouse.ts";
import { repeat } from "../load.ts";
import { type Service, signIn } from "../sign-in-flow.ts";
import { median, ratios } from "../statistics.ts";

const MOST = 1.6;

/**
 * Measures the processor time of one sign-in without its hash, compared with oidc-provider alone. Sign-ins run one
 * after the other, so that the hash costs the same as when measured separately in the server's process.
 */
export async function measureLoginCost(bench: Bench, bare: Server & { service: Service }): Promise<Finding> {
  const { gatehouse, options, product } = bench;
  const { countedTurns, countedSignIns: times } = options.effort;
  const check = { stored: gatehouse.storedHash, password: gatehouse.password, times };
  const whole: number[] = [];
  const hash: number[] = [];
  const reference: number[] = [];
  for (let round = 0; round < countedTurns; round += 1) {
    whole.push(await costPerSignIn(bench, product, bench.service, times));
    hash.push((await product.process.hashMs(check)) / times);
    reference.push(await costPerSignIn(bench, bare, bare.service, times));
  }
  const ours = whole.map((cost, round) => cost - (hash[round] ?? Number.NaN));
  const ratio = ratios(ours, reference);
  return {
    what: "processor time of a login without its hash",
    unit: "ms",
    ours: median(ours),
    reference: { what: "oidc-provider alone on SQLite", value: median(reference) },
    ratio,
    target: { text: `≤ ${MOST}`, met: ratio.median <= MOST },
    details: { whole, hash, ours, reference },
  };
}

/**
 * Measures the processor time of one sign-in by passkey, compared with a sign-in with the password without its hash, in
 * the same way.
 */
export async function measurePasskeyCost(bench: Bench): Promise<Finding> {
  const { gatehouse, options, product } = bench;
  const { countedTurns, countedSignIns: times } = options.effort;
  const check = { stored: gatehouse.storedHash, password: gatehouse.password, times };
  const service = passkeyService(gatehouse);
  await repeat({ clients: 1, times: options.effort.warmUpSignIns }, () =>
    signIn(bench.http, service, bench.nextUser()),
  );
  const ours: number[] = [];
  const reference: number[] = [];
  for (let round = 0; round < countedTurns; round += 1) {
    ours.push(await costPerSignIn(bench, product, service, times));
    const whole = await costPerSignIn(bench, product, bench.service, times);
    reference.push(whole - (await product.process.hashMs(check)) / times);
  }
  const ratio = ratios(ours, reference);
  return {
    what: "processor time of a login by passkey",
    unit: "ms",
    ours: median(ours),
    reference: { what: "a login with the password, without its hash", value: median(reference) },
    ratio,
    target: { text: "< 1", met: ratio.median < 1 },
    details: { ours, reference },
  };
}

/** Returns the server's processor time of one sign-in, in milliseconds. */
async function costPerSignIn(bench: Bench, server: Server, service: Service, times: number): Promise<number> {
  const before = await server.process.processorMs();
  await repeat({ clients: 1, times }, () => signIn(bench.http, service, bench.nextUser()));
  return ((await server.process.processorMs()) - before) / times;
}
