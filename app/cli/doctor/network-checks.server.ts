import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { type Check, type CheckResult, failed, ok, skipped, warning } from "./check.server.ts";

const ANSWER_MS = 5_000;
const DISCOVERY = "/.well-known/openid-configuration";
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const discoverySchema = z.object({ issuer: z.string(), authorization_endpoint: z.string() });

type Input = { config: Config };

/** How the service looks from outside, and what stands in between. */
export const ADDRESS_CHECKS: readonly Check<Input>[] = [
  { name: "server", run: ({ config }) => checkServer(config) },
  { name: "public address", run: ({ config }) => checkIssuer(config) },
  { name: "proxy addresses", run: ({ config }) => checkProxy(config) },
  { name: "providers", run: ({ config }) => checkProviders(config) },
];

async function checkServer({ host, port }: Config): Promise<CheckResult> {
  const own = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  const url = `http://${own}:${port}/readyz`;
  const answer = await ask(url);
  if ("failure" in answer)
    return warning(`no server answers at ${url} (${answer.failure})`, "Start it: gatehouse serve.");
  if (answer.status === 200) return ok(`it is ready at ${url}`);
  return failed(`it answers ${answer.status} at ${url}`, "Its answer and its log name what is not ready.");
}

async function checkIssuer({ issuer }: Config): Promise<CheckResult> {
  const url = `${issuer}${DISCOVERY}`;
  const answer = await ask(url);
  if ("failure" in answer) {
    return failed(`${url} cannot be reached from here (${answer.failure})`, reachFix(answer.failure));
  }
  if (answer.location) {
    const fix = "ISSUER is to be spelled as the proxy spells it: scheme, host and port.";
    return failed(`${url} leads on to ${answer.location.slice(0, 200)}`, fix);
  }
  if (answer.status === 421) return failed(`${url} answers 421: the proxy changes the Host header`, HOST_FIX);
  const found = discoverySchema.safeParse(answer.json).data;
  if (!found)
    return failed(`${url} answers ${answer.status} and no discovery document`, "Does the proxy lead to HOST and PORT?");
  if (found.issuer !== issuer)
    return failed(`${url} says it is ${found.issuer}`, "Another installation answers there.");
  if (!found.authorization_endpoint.startsWith(`${issuer}/`)) {
    return failed(`its addresses begin with ${new URL(found.authorization_endpoint).origin}`, HOST_FIX);
  }
  return ok(`${issuer} answers, and says so`);
}

const HOST_FIX =
  "Let the proxy pass the Host header on (nginx: proxy_set_header Host $host; Apache: ProxyPreserveHost On).";

function reachFix(failure: string): string {
  if (/CERT|certificate|SELF_SIGNED|VERIFY/i.test(failure)) {
    return "Look at the certificate; NODE_EXTRA_CA_CERTS names the file of an authority of your own.";
  }
  if (/ENOTFOUND|EAI_AGAIN/.test(failure))
    return "Look at the name service: this machine does not know the host of ISSUER.";
  return "Is the server running, and does the proxy lead to HOST and PORT?";
}

function checkProxy({ issuer, trustProxy, host }: Config): CheckResult {
  const { protocol, hostname } = new URL(issuer);
  const isBehind = protocol === "https:" && !LOOPBACK.test(hostname);
  if (trustProxy.length === 0) {
    if (!isBehind) return skipped("no proxy is trusted, and none is needed");
    const fix = "Set TRUST_PROXY to the proxy's address: all people share one limit of failed sign-ins until then.";
    return failed("ISSUER is https, which a proxy speaks, and TRUST_PROXY names none", fix);
  }
  const wide = trustProxy.filter((block) => isWide(block));
  if (wide.length > 0) {
    const fix = "Name the addresses of the proxies alone: whoever stands in the block may say he is anybody.";
    return warning(`TRUST_PROXY holds a wide block: ${wide.join(", ")}`, fix);
  }
  const isOpen = !LOOPBACK.test(host) && trustProxy.every((block) => LOOPBACK.test(block.split("/")[0] ?? ""));
  if (isOpen) {
    const fix = "With a proxy on this machine, HOST=127.0.0.1 keeps others from going past it.";
    return warning(`HOST is ${host}: the network reaches the server without the proxy`, fix);
  }
  return ok(`trusted: ${trustProxy.join(", ")}`);
}

function isWide(block: string): boolean {
  const [address = "", bits] = block.split("/");
  return bits !== undefined && Number(bits) < (address.includes(":") ? 32 : 8);
}

async function checkProviders({ google, microsoft, apple }: Config): Promise<CheckResult> {
  const configured = Object.entries({ google, microsoft, apple }).flatMap(([name, one]) =>
    one ? [{ name, ...one }] : [],
  );
  if (configured.length === 0) return skipped("none is configured");
  const problems = await Promise.all(configured.map(({ name, issuer }) => providerProblem(name, issuer)));
  const found = problems.filter((problem) => problem !== null);
  if (found.length === 0) return ok(configured.map(({ name }) => name).join(", "));
  return failed(
    found.join("; "),
    "Look at the way out to the internet (proxy, firewall, name service) and at …_ISSUER.",
  );
}

async function providerProblem(name: string, issuer: string): Promise<string | null> {
  const answer = await ask(`${issuer.replace(/\/$/, "")}${DISCOVERY}`);
  if ("failure" in answer) return `${name} cannot be reached (${answer.failure})`;
  const found = discoverySchema.safeParse(answer.json).data;
  if (!found) return `${name} answers ${answer.status} and no discovery document`;
  return found.issuer === issuer ? null : `${name} says it is ${found.issuer.slice(0, 200)}`;
}

type Answer = { status: number; location: string | null; json: unknown } | { failure: string };

/** Asks without following where it leads. */
async function ask(url: string): Promise<Answer> {
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) });
    const json: unknown = await response.json().catch(() => null);
    return { status: response.status, location: response.headers.get("location"), json };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** The code of the innermost cause, which says more than "fetch failed". */
function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return "no reason";
  if (error.cause !== undefined) return failureOf(error.cause);
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.name === "TimeoutError" ? `no answer within ${ANSWER_MS / 1000} s` : error.message;
}
