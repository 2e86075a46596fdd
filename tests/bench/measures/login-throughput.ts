import { availableParallelism } from "node:os";
import type { Bench, Finding } from "../bench.ts";
import { ratePerSecond } from "../load.ts";
import type { MeasuredProcess } from "../measured-process.ts";
import { signIn } from "../sign-in-flow.ts";
import { median, ratios } from "../statistics.ts";

const LEAST = 0.45;

/** Measures sign-ins per second, compared with password checks alone at the same concurrency. */
export async function measureLoginThroughput(bench: Bench, hasher: MeasuredProcess): Promise<Finding> {
  const { gatehouse, options, product } = bench;
  const { rounds, loadSeconds, hashSeconds } = options.effort;
  const check = { stored: gatehouse.storedHash, password: gatehouse.password };
  const concurrency = Math.max(1, availableParallelism() - 1);
  const signIns: number[] = [];
  const hashes: number[] = [];
  const before = { server: await product.process.processorMs(), bench: process.cpuUsage() };
  let done = 0;
  for (let round = 0; round < rounds; round += 1) {
    const rate = await ratePerSecond({ clients: options.clients, seconds: loadSeconds }, async () => {
      await signIn(bench.http, bench.service, bench.nextUser());
      done += 1;
    });
    signIns.push(rate);
    hashes.push(await hasher.hashesPerSecond({ ...check, concurrency, seconds: hashSeconds }));
  }
  const ratio = ratios(signIns, hashes);
  const bothUsed = process.cpuUsage(before.bench);
  return {
    what: "password login, whole",
    unit: "per second",
    ours: median(signIns),
    reference: { what: `argon2id alone, ${concurrency} lane(s)`, value: median(hashes) },
    ratio,
    target: { text: `≥ ${LEAST}`, met: ratio.median >= LEAST },
    details: {
      signIns,
      hashes,
      lanes: concurrency,
      clients: options.clients,
      serverProcessorMsPerLogin: ((await product.process.processorMs()) - before.server) / done,
      benchProcessorMsPerLogin: (bothUsed.user + bothUsed.system) / 1000 / done,
    },
  };
}
