import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ROOT } from "#tests/support/source-tree.ts";
import { startBareProvider } from "./bare-servers.ts";
import type { Server } from "./bench.ts";
import { repeat } from "./load.ts";
import { BUNDLES } from "./references.ts";
import { logProgress, type Setting, startProduct, warmUp } from "./run.ts";
import { type Service, signIn } from "./sign-in-flow.ts";

const SIGN_INS = 300;
const LINES = 40;

const recorded = z.object({
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

type Frame = z.infer<typeof recorded>["nodes"][number]["callFrame"];

/** Self time of each function on the main thread, in milliseconds per sign-in. */
type Times = ReadonlyMap<Frame, number>;

/** Milliseconds by name, for the product and for oidc-provider alone. */
type Sums = ReadonlyMap<string, { ours: number; bare: number }>;

/**
 * Prints the self times of the main thread during sign-ins, for the product and for oidc-provider alone: by package,
 * file and function. Includes waiting for the disk (the native function `run`), excludes other threads.
 */
export async function profileSignIns(setting: Setting): Promise<void> {
  const bench = await startProduct(setting);
  const bare = await startBareProvider(setting.http, setting.folder, setting.gatehouse.application);
  const profileOf = async (name: string, server: Server, service: Service): Promise<Times> => {
    logProgress(`signing in: ${name}`);
    await warmUp(bench, service);
    const file = join(BUNDLES, `${name}.cpuprofile`);
    await server.process.startProfile();
    await repeat({ clients: 1, times: SIGN_INS }, () => signIn(bench.http, service, bench.nextUser()));
    await server.process.endProfile(file);
    return selfTimes(recorded.parse(JSON.parse(readFileSync(file, "utf8"))));
  };
  const ours = await profileOf("gatehouse", bench.product, bench.service);
  const theirs = await profileOf("bare-provider", bare, bare.service);
  const locate = createLocator();
  print(
    "package",
    tally(ours, theirs, (frame) => packageOf(locate(frame).file)),
  );
  print(
    "file",
    tally(ours, theirs, (frame) => locate(frame).file),
  );
  print(
    "function",
    tally(ours, theirs, (frame) => nameOf(frame, locate(frame))),
  );
  console.log(`\nWhole profiles, for a browser's developer tools: ${relative(ROOT, BUNDLES)}/*.cpuprofile`);
}

function selfTimes({ nodes, samples, timeDeltas }: z.infer<typeof recorded>): Times {
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

/** Returns a function that maps a position in a bundle to its source file, by the source map if there is one. */
function createLocator(): (frame: Frame) => Place {
  const maps = new Map<string, SourceMap | null>();
  return ({ url, lineNumber, columnNumber }) => {
    if (!url.startsWith("file:")) return { file: url || "(compiled code)", line: lineNumber + 1 };
    const file = fileURLToPath(url);
    const map = maps.get(file) ?? readMap(file);
    maps.set(file, map);
    const found = map?.findEntry(lineNumber, columnNumber);
    if (!found || !("originalSource" in found)) return { file: shorten(file), line: lineNumber + 1 };
    return { file: shorten(join(file, "..", found.originalSource)), line: found.originalLine + 1 };
  };
}

/** Source maps of packages are ignored, because they refer to missing files. */
function readMap(file: string): SourceMap | null {
  if (file.includes("node_modules") || !existsSync(`${file}.map`)) return null;
  return new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
}

function shorten(file: string): string {
  return file.replace(/^.*node_modules\//, "").replace(ROOT, "");
}

function packageOf(file: string): string {
  if (file.startsWith("node:") || file.startsWith("(")) return file.replace(/\/.*/, "");
  const depth = file.startsWith("@") || file.startsWith("app/") ? 2 : 1;
  return file.split("/").slice(0, depth).join("/");
}

function nameOf({ functionName }: Frame, { file, line }: Place): string {
  return `${functionName || "(anonymous)"}  ${file}:${line}`;
}

function tally(ours: Times, theirs: Times, nameIt: (frame: Frame) => string): Sums {
  const sums = new Map<string, { ours: number; bare: number }>();
  const add = (times: Times, whose: "ours" | "bare") => {
    for (const [frame, time] of times) {
      const name = nameIt(frame);
      const sum = sums.get(name) ?? { ours: 0, bare: 0 };
      sums.set(name, { ...sum, [whose]: sum[whose] + time });
    }
  };
  add(ours, "ours");
  add(theirs, "bare");
  return sums;
}

function print(by: string, sums: Sums): void {
  const sorted = [...sums].sort(([, one], [, other]) => other.ours - one.ours);
  const whole = (whose: "ours" | "bare") => sorted.reduce((total, [, sum]) => total + sum[whose], 0);
  console.log(`\n    ours      bare  milliseconds of the main thread per sign-in, by ${by}`);
  printLine("all", { ours: whole("ours"), bare: whole("bare") });
  for (const [name, sum] of sorted.slice(0, LINES)) printLine(name, sum);
}

function printLine(name: string, { ours, bare }: { ours: number; bare: number }): void {
  console.log(`${ours.toFixed(3).padStart(8)}  ${bare.toFixed(3).padStart(8)}  ${name}`);
}
