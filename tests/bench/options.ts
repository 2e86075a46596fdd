import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "#tests/support/source-tree.ts";
import { type Run, readRun } from "./compare.ts";

/** Durations and repetitions. */
type Effort = {
  /** Number of alternations between product and reference. */
  rounds: number;
  /** Duration of one load phase, in seconds. */
  loadSeconds: number;
  /** Duration of one hashing phase, in seconds. */
  hashSeconds: number;
  /** Phases in which processor time is measured; many short ones, so that other load affects both sides equally. */
  countedTurns: number;
  /** Sign-ins per such phase. */
  countedSignIns: number;
  /** Warm-up sign-ins, so that both programs run compiled code. */
  warmUpSignIns: number;
  /** Posts of each kind whose response times are compared. */
  timedPosts: number;
  /** Cold starts. */
  starts: number;
};

/** Measures that an option selects. */
const ONLY = ["endpoints", "rates", "passkeys", "rows", "processes"] as const;

export type Options = {
  effort: Effort;
  clients: number;
  jsonFile: string;
  /** The run to compare with. */
  earlier: Run | null;
  profile: boolean;
  /** Measures only one of these, which exclude each other; null: all that an installation of usual size shows. */
  only: (typeof ONLY)[number] | null;
  quick: boolean;
};

const QUICK: Effort = {
  rounds: 8,
  loadSeconds: 1,
  hashSeconds: 0.5,
  countedTurns: 40,
  countedSignIns: 5,
  warmUpSignIns: 300,
  timedPosts: 100,
  starts: 5,
};

const LONG: Effort = {
  rounds: 25,
  loadSeconds: 2,
  hashSeconds: 1,
  countedTurns: 200,
  countedSignIns: 5,
  warmUpSignIns: 500,
  timedPosts: 400,
  starts: 9,
};

export const USAGE = `npm run bench -- [--quick] [--clients N] [--json FILE] [--compare FILE] [--profile] [--endpoints | --rates | --passkeys | --rows | --processes]

  --quick      about three minutes; without it about seven
  --clients N  browsers that sign in at the same time (8)
  --json FILE  where the figures go (build/bench.json)
  --compare FILE  an earlier --json file whose ratios are printed beside the new ones; same Node and processor only
  --profile    instead of measuring: what the server computes during sign-ins, by function and by package
  --endpoints  only userinfo and metadata: about a minute
  --rates      only sign-ins at 50, 90 and 150 % of the capacity: about a minute
  --passkeys   only sign-ins by passkey: about a minute
  --rows       only 1,000,000 users and their tokens beside 1,000, on SQLite: with --quick about six minutes; 5 GB of disk
  --processes  only two server processes on one PostgreSQL beside one: with --quick about two minutes; DATABASE_URL_TEST, or
               a PostgreSQL that is started`;

/** Parses the command line. Throws a TypeError for invalid arguments. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      clients: { type: "string", default: "8" },
      json: { type: "string", default: join(ROOT, "build/bench.json") },
      compare: { type: "string" },
      profile: { type: "boolean", default: false },
      endpoints: { type: "boolean", default: false },
      rates: { type: "boolean", default: false },
      passkeys: { type: "boolean", default: false },
      rows: { type: "boolean", default: false },
      processes: { type: "boolean", default: false },
    },
  });
  const clients = Number(values.clients);
  if (!Number.isInteger(clients) || clients < 1) {
    throw new TypeError(`--clients is not a number of browsers: ${values.clients}`);
  }
  return {
    effort: values.quick ? QUICK : LONG,
    clients,
    jsonFile: values.json,
    earlier: values.compare === undefined ? null : readRun(values.compare),
    profile: values.profile,
    only: onlyOf(values),
    quick: values.quick,
  };
}

function onlyOf(values: Readonly<Record<(typeof ONLY)[number], boolean>>): Options["only"] {
  const [only = null, ...others] = ONLY.filter((name) => values[name]);
  if (others.length > 0) throw new TypeError(`${ONLY.map((name) => `--${name}`).join(", ")} exclude each other`);
  return only;
}
