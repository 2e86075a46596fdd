import type { Config } from "#app/config/config.ts";
import { PROVIDERS } from "#app/config/providers.ts";
import { assertNever } from "#app/domain/base/assert-never.ts";
import { type Check, type CheckResult, failed, ok, skipped, warning } from "./check.server.ts";
import { DISCOVERY, discoverySchema, probe, probeHost } from "./http-probe.server.ts";
import { checkReadiness, localOrigin } from "./readiness.server.ts";

type Input = { config: Config };

/** Checks of the server on its own port, and of the external providers. */
export const NETWORK_CHECKS: readonly Check<Input>[] = [
  { name: "server", run: ({ config }) => checkServer(config) },
  { name: "providers", run: ({ config }) => checkProviders(config) },
];

async function checkServer(config: Config): Promise<CheckResult> {
  const { port } = config;
  const origin = localOrigin(config);
  const readiness = await checkReadiness(config);
  switch (readiness.kind) {
    case "unreachable":
      return unreachable(origin, port, readiness.failure);
    case "foreign":
      return failed(`another program responds at ${origin} (status ${readiness.status})`, foreignFix(port));
    case "not ready": {
      const found = `the server at ${origin} is not ready: ${readiness.failed.join(", ")}`;
      return failed(found, "See the response of /readyz and the log of the server.");
    }
    case "ready":
      if (await isOwnServer(origin, config)) return ok(`the server is ready at ${origin}`);
      return failed(`the Gatehouse at ${origin} has another ISSUER than ${config.issuer}`, foreignFix(port));
    default:
      return assertNever(readiness);
  }
}

function unreachable(origin: string, port: number, failure: string): CheckResult {
  if (/^(ECONNREFUSED|EADDRNOTAVAIL|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/.test(failure)) {
    return warning(`no server responds at ${origin} (${failure})`, "Start the server: gatehouse serve");
  }
  return failed(
    `a program accepts connections at ${origin}, but does not respond like Gatehouse (${failure})`,
    foreignFix(port),
  );
}

function foreignFix(port: number): string {
  return `Find the program: ss -ltnp 'sport = :${port}'. Stop it, or set another PORT, and forward the proxy there.`;
}

/** A server refuses every host but that of its ISSUER (421). */
async function isOwnServer(origin: string, { issuer }: Config): Promise<boolean> {
  const document = await probeHost(`${origin}${DISCOVERY}`, new URL(issuer).host);
  return discoverySchema.safeParse(document).data?.issuer === issuer;
}

async function checkProviders(config: Config): Promise<CheckResult> {
  const configured = PROVIDERS.flatMap((name) => {
    const client = config[name];
    return client ? [{ name, issuer: client.issuer }] : [];
  });
  if (configured.length === 0) return skipped("none is configured");
  const problems = await Promise.all(configured.map(({ name, issuer }) => providerProblem(name, issuer)));
  const found = problems.filter((problem) => problem !== null);
  if (found.length === 0) return ok(configured.map(({ name }) => name).join(", "));
  return failed(found.join("; "), "Check outgoing connections (proxy, firewall, DNS) and …_ISSUER.");
}

async function providerProblem(name: string, issuer: string): Promise<string | null> {
  const response = await probe(`${issuer.replace(/\/$/, "")}${DISCOVERY}`);
  if ("failure" in response) return `${name} is not reachable (${response.failure})`;
  const found = discoverySchema.safeParse(response.json).data;
  if (!found) return `${name} responds ${response.status} without a discovery document`;
  return found.issuer === issuer ? null : `the issuer of ${name} is ${found.issuer.slice(0, 200)}`;
}
