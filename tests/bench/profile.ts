import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ROOT } from "#tests/support/source-tree.ts";
import { repeat } from "./load.ts";
import { BUNDLES } from "./references.ts";
import { type Setting, say, startProduct, warmUp } from "./run.ts";
import { signIn } from "./sign-in-flow.ts";

const SIGN_INS = 300;
const LINES = 40;

const profile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({
        functionName: z.string(),
        url: z.string(),
        lineNumber: z.number(),
        columnNumber: z.number(),
      }),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

type Frame = z.infer<typeof profile>["nodes"][number]["callFrame"];

/** Prints what the server's main thread computes during sign-ins: by package and by function, each without what it calls. */
export async function profileSignIns(setting: Setting): Promise<void> {
  const bench = await startProduct(setting);
  await warmUp(bench, bench.service);
  say("signing in");
  const { process } = bench.product;
  await process.startProfile();
  await repeat({ clients: 2, times: SIGN_INS }, () => signIn(bench.http, bench.service, bench.nextPerson()));
  const file = join(BUNDLES, "sign-ins.cpuprofile");
  await process.endProfile(file);
  const times = selfTimes(profile.parse(JSON.parse(readFileSync(file, "utf8"))));
  const locate = createLocator();
  print(
    "by package",
    tally(times, (frame) => packageOf(locate(frame).file)),
  );
  print(
    "by file",
    tally(times, (frame) => locate(frame).file),
  );
  print(
    "by function",
    tally(times, (frame) => nameOf(frame, locate(frame))),
  );
  console.log(`\nthe whole profile, for a browser's developer tools: ${relative(ROOT, file)}`);
}

/** Milliseconds of one sign-in that were spent in each place itself. */
function selfTimes({ nodes, samples, timeDeltas }: z.infer<typeof profile>): Map<Frame, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<Frame, number>();
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === "(idle)") continue;
    times.set(frame, (times.get(frame) ?? 0) + (timeDeltas[index] ?? 0) / 1000 / SIGN_INS);
  }
  return times;
}

type Place = { file: string; line: number };

/** Finds the source of a place in the bundles, by their source maps where they have one. */
function createLocator(): (frame: Frame) => Place {
  const maps = new Map<string, SourceMap | null>();
  return ({ url, lineNumber, columnNumber }) => {
    if (!url.startsWith("file:")) return { file: url || "(engine)", line: lineNumber + 1 };
    const file = fileURLToPath(url);
    const known = maps.get(file);
    const map = known === undefined ? readMap(file) : known;
    maps.set(file, map);
    const found = map?.findEntry(lineNumber, columnNumber);
    if (!found || !("originalSource" in found)) return { file: relative(ROOT, file), line: lineNumber + 1 };
    return { file: relative(ROOT, join(file, "..", found.originalSource)), line: found.originalLine + 1 };
  };
}

function readMap(file: string): SourceMap | null {
  if (!existsSync(`${file}.map`)) return null;
  return new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
}

function packageOf(file: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  if (name !== undefined) return name;
  return file.startsWith("app/") ? file.split("/").slice(0, 2).join("/") : file.replace(/^node:.*/, "node");
}

function nameOf({ functionName }: Frame, { file, line }: Place): string {
  return `${functionName || "(anonymous)"}  ${file}:${line}`;
}

function tally(times: ReadonlyMap<Frame, number>, nameIt: (frame: Frame) => string): [string, number][] {
  const sums = new Map<string, number>();
  for (const [frame, time] of times) sums.set(nameIt(frame), (sums.get(nameIt(frame)) ?? 0) + time);
  return [...sums].sort(([, one], [, other]) => other - one);
}

function print(title: string, sums: readonly [string, number][]): void {
  const whole = sums.reduce((total, [, time]) => total + time, 0);
  console.log(`\n${title}: ${whole.toFixed(2)} ms of the main thread per sign-in`);
  for (const [name, time] of sums.slice(0, LINES)) {
    console.log(`${time.toFixed(3).padStart(8)} ms ${((100 * time) / whole).toFixed(1).padStart(5)} %  ${name}`);
  }
}
