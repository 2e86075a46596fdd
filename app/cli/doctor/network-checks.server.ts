import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { PROVIDERS } from "#app/config/providers.ts";
import { type Check, type CheckResult, failed, ok, skipped, warning } from "./check.server.ts";

const TIMEOUT_MS = 5_000;
const DISCOVERY = "/.well-known/openid-configuration";
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const discoverySchema = z.object({ issuer: z.string(), authorization_endpoint: z.string() });

type Input = { config: Config };

/** Checks of the network: the server, its public URL, the proxy, and the external providers. */
export const NETWORK_CHECKS: readonly Check<Input>[] = [
  { name: "server", run: ({ config }) => checkServer(config) },
  { name: "public address", run: ({ config }) => checkIssuer(config) },
  { name: "proxy addresses", run: ({ config }) => checkProxy(config) },
  { name: "providers", run: ({ config }) => checkProviders(config) },
];

async function checkServer({ host, port }: Config): Promise<CheckResult> {
  const own = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  const url = `http://${own}:${port}/readyz`;
  const response = await request(url);
  if ("failure" in response)
    return warning(`no server responds at ${url} (${response.failure})`, "Start the server: gatehouse serve");
  if (response.status === 200) return ok(`the server is ready at ${url}`);
  return failed(`the server responds ${response.status} at ${url}`, "See the response and the log of the server.");
}

async function checkIssuer({ issuer }: Config): Promise<CheckResult> {
  const url = `${issuer}${DISCOVERY}`;
  const response = await request(url);
  if ("failure" in response) {
    return failed(`${url} is not reachable from this machine (${response.failure})`, connectionFix(response.failure));
  }
  if (response.location) {
    const fix = "Set ISSUER to the URL that the proxy uses: scheme, host and port.";
    return failed(`${url} redirects to ${response.location.slice(0, 200)}`, fix);
  }
  if (response.status === 421) return failed(`${url} responds 421: the proxy changes the Host header`, HOST_FIX);
  const found = discoverySchema.safeParse(response.json).data;
  if (!found)
    return failed(
      `${url} responds ${response.status} without a discovery document`,
      "Check that the proxy forwards to HOST and PORT.",
    );
  if (found.issuer !== issuer)
    return failed(
      `the issuer of ${url} is ${found.issuer}`,
      "Another installation responds at this URL. Check ISSUER and the proxy.",
    );
  if (!found.authorization_endpoint.startsWith(`${issuer}/`)) {
    return failed(`its endpoint URLs begin with ${new URL(found.authorization_endpoint).origin}`, HOST_FIX);
  }
  return ok(`${issuer} responds with this issuer`);
}

const HOST_FIX =
  "Configure the proxy to forward the Host header (nginx: proxy_set_header Host $host; Apache: ProxyPreserveHost On).";

function connectionFix(failure: string): string {
  if (/CERT|certificate|SELF_SIGNED|VERIFY/i.test(failure)) {
    return "Check the certificate. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its file.";
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(failure))
    return "Check the DNS configuration: this machine cannot resolve the host of ISSUER.";
  return "Check that the server is running and that the proxy forwards to HOST and PORT.";
}

function checkProxy({ issuer, trustProxy, host }: Config): CheckResult {
  const { protocol, hostname } = new URL(issuer);
  const needsProxy = protocol === "https:" && !LOOPBACK.test(hostname);
  if (trustProxy.length === 0) {
    if (!needsProxy) return skipped("no proxy is trusted, and none is needed");
    const fix = "Set TRUST_PROXY to the address of the proxy; otherwise all users share one limit of failed sign-ins.";
    return failed("ISSUER is https, which requires a proxy, but TRUST_PROXY is not set", fix);
  }
  const large = trustProxy.filter((block) => isLarge(block));
  if (large.length > 0) {
    const fix = "List the addresses of the proxies only: every host of the block can forge its client address.";
    return warning(`TRUST_PROXY contains a large block: ${large.join(", ")}`, fix);
  }
  const isOpen = !LOOPBACK.test(host) && trustProxy.every((block) => LOOPBACK.test(block.split("/")[0] ?? ""));
  if (isOpen) {
    const fix = "With a proxy on this machine, set HOST=127.0.0.1, so that requests cannot bypass it.";
    return warning(`HOST is ${host}: the server is reachable without the proxy`, fix);
  }
  return ok(`trusted: ${trustProxy.join(", ")}`);
}

function isLarge(block: string): boolean {
  const [address = "", bits] = block.split("/");
  return bits !== undefined && Number(bits) < (address.includes(":") ? 32 : 8);
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
  const response = await request(`${issuer.replace(/\/$/, "")}${DISCOVERY}`);
  if ("failure" in response) return `${name} is not reachable (${response.failure})`;
  const found = discoverySchema.safeParse(response.json).data;
  if (!found) return `${name} responds ${response.status} without a discovery document`;
  return found.issuer === issuer ? null : `the issuer of ${name} is ${found.issuer.slice(0, 200)}`;
}

type ProbeResponse = { status: number; location: string | null; json: unknown } | { failure: string };

/** Sends a GET request without following redirects. */
async function request(url: string): Promise<ProbeResponse> {
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const json: unknown = await response.json().catch(() => null);
    return { status: response.status, location: response.headers.get("location"), json };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** Returns the code of the innermost cause; the message of fetch is only "fetch failed". */
function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error.cause !== undefined) return failureOf(error.cause);
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.name === "TimeoutError" ? `no response within ${TIMEOUT_MS / 1000} s` : error.message;
}
