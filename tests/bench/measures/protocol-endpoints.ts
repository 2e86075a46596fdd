import type { Bench, Finding, Server } from "../bench.ts";
import { createBrowser, redirectOf } from "../http-client.ts";
import { repeat } from "../load.ts";
import { authorizationUrl, refresh, type Service, signIn, signInAgain } from "../sign-in-flow.ts";
import { median, ratios } from "../statistics.ts";

/** Calls per turn: the counter of processor time is exact to a few milliseconds. */
const TIMES = 40;

/** One of the two servers. */
type Side = { server: Server; service: Service; isBare: boolean };

/** An operation at both servers. `prepare` resolves to a function that performs it once. */
type Operation = {
  what: string;
  target: number | null;
  prepare: (bench: Bench, side: Side) => Promise<() => Promise<unknown>>;
};

const OPERATIONS: readonly Operation[] = [
  {
    what: "an authorization request and the login page (alone: without a page)",
    target: 1.9,
    prepare: async ({ http, nextUser }, { service, isBare }) => {
      return async () => {
        const browser = createBrowser(http, nextUser().address);
        const page = redirectOf(await browser.get(authorizationUrl(service)));
        if (!isBare) requireOk(await browser.get(page));
      };
    },
  },
  {
    what: "a sign-in with a session",
    target: 1.6,
    prepare: async ({ http, nextUser }, { service }) => {
      const user = nextUser();
      const browser = createBrowser(http, user.address);
      await signIn(http, service, user, { browser });
      return () => signInAgain(http, service, browser);
    },
  },
  {
    what: "a refresh",
    target: 1.6,
    prepare: async ({ http, nextUser }, { service }) => {
      let { refreshToken } = await signIn(http, service, nextUser(), { scope: "openid profile email offline" });
      return async () => {
        ({ refreshToken } = await refresh(http, service, refreshToken));
      };
    },
  },
  {
    what: "a userinfo request",
    target: 2,
    prepare: async ({ http, nextUser }, { server, service, isBare }) => {
      const { accessToken } = await signIn(http, service, nextUser());
      const url = new URL(isBare ? "/me" : "/userinfo", server.url);
      return async () => requireOk(await http.send(url, { headers: { authorization: `Bearer ${accessToken}` } }));
    },
  },
  {
    what: "a metadata request",
    target: null,
    prepare: async ({ http }, { server }) => {
      const url = new URL("/.well-known/openid-configuration", server.url);
      return async () => requireOk(await http.send(url));
    },
  },
];

function requireOk({ status, body, url }: { status: number; body: string; url: URL }): void {
  if (status !== 200) throw new Error(`${url.pathname} responded ${status}: ${body.slice(0, 500)}`);
}

/** Measures the processor time of what applications request most, compared with oidc-provider alone. */
export async function measureProtocolEndpoints(bench: Bench, bare: Server & { service: Service }): Promise<Finding[]> {
  const ours = { server: bench.product, service: bench.service, isBare: false };
  const reference = { server: bare, service: bare.service, isBare: true };
  const findings: Finding[] = [];
  for (const operation of OPERATIONS) findings.push(await measure(bench, operation, [ours, reference]));
  return findings;
}

async function measure(
  bench: Bench,
  { what, target, prepare }: Operation,
  [ours, reference]: readonly [Side, Side],
): Promise<Finding> {
  const perform = await prepare(bench, ours);
  const performBare = await prepare(bench, reference);
  const costs: number[] = [];
  const references: number[] = [];
  await costPerCall(ours, perform);
  await costPerCall(reference, performBare);
  for (let turn = 0; turn < bench.options.effort.countedTurns; turn += 1) {
    costs.push(await costPerCall(ours, perform));
    references.push(await costPerCall(reference, performBare));
  }
  const ratio = ratios(costs, references);
  return {
    what: `processor time of ${what}`,
    unit: "ms",
    ours: median(costs),
    reference: { what: "oidc-provider alone on SQLite", value: median(references) },
    ratio,
    target: target === null ? null : { text: `≤ ${target}`, met: ratio.median <= target },
    details: { costs, references },
  };
}

async function costPerCall({ server }: Side, perform: () => Promise<unknown>): Promise<number> {
  const before = await server.process.processorMs();
  await repeat({ clients: 1, times: TIMES }, async () => void (await perform()));
  return ((await server.process.processorMs()) - before) / TIMES;
}
