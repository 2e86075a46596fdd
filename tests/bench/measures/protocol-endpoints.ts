import type { Bench, Finding, Server } from "../bench.ts";
import type { HttpClient } from "../http-client.ts";
import { repeat } from "../load.ts";
import { type Service, signIn } from "../sign-in-flow.ts";
import { median, ratios } from "../statistics.ts";

const METADATA_PATH = "/.well-known/openid-configuration";

/** Calls per turn: the counter of processor time is exact to a few milliseconds. */
const TIMES = 40;

type Side = { server: Server; url: URL; headers: Record<string, string> };

/** An endpoint that programs call, with its paths at both servers. */
type Endpoint = { what: string; path: string; barePath: string; target: number | null };

const ENDPOINTS: readonly Endpoint[] = [
  { what: "userinfo", path: "/userinfo", barePath: "/me", target: 2 },
  { what: "metadata", path: METADATA_PATH, barePath: METADATA_PATH, target: null },
];

/** Measures the processor time of requests to userinfo and metadata, compared with oidc-provider alone. */
export async function measureProtocolEndpoints(bench: Bench, bare: Server & { service: Service }): Promise<Finding[]> {
  const ours = { server: bench.product, headers: await authorizationAt(bench, bench.service) };
  const reference = { server: bare, headers: await authorizationAt(bench, bare.service) };
  const findings: Finding[] = [];
  for (const endpoint of ENDPOINTS) {
    const sides = [
      { ...ours, url: new URL(endpoint.path, ours.server.url) },
      { ...reference, url: new URL(endpoint.barePath, reference.server.url) },
    ] as const;
    findings.push(await measure(bench, endpoint, sides));
  }
  return findings;
}

async function authorizationAt({ http, nextUser }: Bench, service: Service): Promise<Side["headers"]> {
  return { authorization: `Bearer ${await signIn(http, service, nextUser())}` };
}

async function measure(
  { options, http }: Bench,
  { what, target }: Endpoint,
  [ours, reference]: readonly [Side, Side],
): Promise<Finding> {
  const costs: number[] = [];
  const references: number[] = [];
  await costPerCall(http, ours);
  await costPerCall(http, reference);
  for (let turn = 0; turn < options.effort.countedTurns; turn += 1) {
    costs.push(await costPerCall(http, ours));
    references.push(await costPerCall(http, reference));
  }
  const ratio = ratios(costs, references);
  return {
    what: `processor time of a ${what} request`,
    unit: "ms",
    ours: median(costs),
    reference: { what: "oidc-provider alone on SQLite", value: median(references) },
    ratio,
    target: target === null ? null : { text: `≤ ${target}`, met: ratio.median <= target },
    details: { costs, references },
  };
}

async function costPerCall(http: HttpClient, { server, url, headers }: Side): Promise<number> {
  const before = await server.process.processorMs();
  await repeat({ clients: 1, times: TIMES }, async () => {
    const { status, body } = await http.send(url, { headers });
    if (status !== 200) throw new Error(`${url.pathname} responded ${status}: ${body.slice(0, 500)}`);
  });
  return ((await server.process.processorMs()) - before) / TIMES;
}
