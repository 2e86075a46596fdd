import { once } from "node:events";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { z } from "zod";
import type { Config } from "#app/config/config.ts";
import { DAY_MS } from "#app/durations.ts";
import type { Clock } from "#app/ports.ts";
import { type Check, type CheckResult, failed, ok, skipped, warning } from "./check.server.ts";
import { DISCOVERY, discoverySchema, failureOf, probe } from "./http-probe.server.ts";

const TIMEOUT_MS = 5_000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** A certificate is usually renewed 30 days before its end; two weeks later, the renewal has failed. */
const CERTIFICATE_DAYS = 14;

type Input = { config: Config; clock: Clock };

/** Checks of the public address and of the proxy that serves it. */
export const PROXY_CHECKS: readonly Check<Input>[] = [
  { name: "public address", run: ({ config }) => checkIssuer(config) },
  { name: "certificate", run: ({ config, clock }) => checkCertificate(config, clock) },
  { name: "proxy addresses", run: ({ config }) => checkProxy(config) },
  { name: "client addresses", run: ({ config }) => checkClientAddress(config) },
];

async function checkIssuer({ issuer }: Config): Promise<CheckResult> {
  const url = `${issuer}${DISCOVERY}`;
  const response = await probe(url);
  if ("failure" in response) {
    return failed(`${url} is not reachable from this machine (${response.failure})`, connectionFix(response.failure));
  }
  if (response.location) {
    const fix = "Set ISSUER to the URL that the proxy uses: scheme, host and port.";
    return failed(`${url} redirects to ${response.location.slice(0, 200)}`, fix);
  }
  if (response.status === 421) return failed(`${url} responds 421: the proxy changes the Host header`, HOST_FIX);
  const found = discoverySchema.safeParse(response.json).data;
  if (!found) {
    return failed(
      `${url} responds ${response.status} without a discovery document`,
      "Check that the proxy forwards to HOST and PORT.",
    );
  }
  if (found.issuer !== issuer) {
    return failed(
      `the issuer of ${url} is ${found.issuer}`,
      "Another installation responds at this URL. Check ISSUER and the proxy.",
    );
  }
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
  if (/ENOTFOUND|EAI_AGAIN/.test(failure)) {
    return "Check the DNS configuration: this machine cannot resolve the host of ISSUER.";
  }
  return "Check that the server is running and that the proxy forwards to HOST and PORT.";
}

async function checkCertificate({ issuer }: Config, clock: Clock): Promise<CheckResult> {
  const { protocol, hostname, port } = new URL(issuer);
  if (protocol !== "https:") return skipped("ISSUER is not https");
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const end = await certificateEnd(host, port === "" ? 443 : Number(port));
  if ("failure" in end) return skipped(`it cannot be read (${end.failure})`);
  const days = Math.floor((end.at.getTime() - clock.now().getTime()) / DAY_MS);
  const fix =
    "Renew it, and check why it was not renewed automatically: the log of the proxy, or certbot renew --dry-run.";
  if (days < 0) return failed(`it ended on ${dateText(end.at)}`, fix);
  if (days < CERTIFICATE_DAYS) return warning(`it ends in ${days} days, on ${dateText(end.at)}`, fix);
  return ok(`it ends on ${dateText(end.at)}`);
}

/** Reads the end of a certificate, trusted or not; "public address" reports one that is not trusted. */
async function certificateEnd(host: string, port: number): Promise<{ at: Date } | { failure: string }> {
  const socket = connect({ host, port, servername: isIP(host) > 0 ? "" : host, rejectUnauthorized: false });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const at = new Date(socket.getPeerCertificate().valid_to);
    return Number.isNaN(at.getTime()) ? { failure: "there is none" } : { at };
  } catch (error) {
    return { failure: failureOf(error) };
  } finally {
    socket.destroy();
  }
}

function dateText(at: Date): string {
  return at.toISOString().slice(0, 10);
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

const healthSchema = z.object({ status: z.literal("ok"), forwardedFor: z.string() });

async function checkClientAddress({ issuer, trustProxy }: Config): Promise<CheckResult> {
  if (trustProxy.length === 0 && issuer.startsWith("http:")) return skipped("no proxy is trusted, and none is needed");
  const response = await probe(`${issuer}/healthz`);
  if ("failure" in response) return skipped(`the public address is not reachable (${response.failure})`);
  const found = healthSchema.safeParse(response.json).data?.forwardedFor;
  switch (found) {
    case "used":
      return ok("the proxy passes the address of the client");
    case "missing":
      return failed(
        "the proxy does not pass X-Forwarded-For: all users share one limit of failed sign-ins",
        FORWARD_FIX,
      );
    case "ignored":
      return failed(
        "the X-Forwarded-For of the proxy is ignored, because the proxy is not in TRUST_PROXY",
        "Add the address from which the proxy connects to TRUST_PROXY.",
      );
    case "none":
      return warning(
        "the public address leads to the server without a proxy of TRUST_PROXY",
        "Check that the proxy forwards to HOST and PORT, and that TRUST_PROXY contains the address from which it connects.",
      );
    default:
      return skipped(`/healthz of Gatehouse is not served at the public address (status ${response.status})`);
  }
}

const FORWARD_FIX =
  "Configure the proxy to add the address (nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; Apache and Caddy do it by themselves).";
