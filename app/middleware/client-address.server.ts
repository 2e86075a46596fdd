import type { IncomingMessage } from "node:http";
import { isIP, isIPv4, isIPv6 } from "node:net";
import proxyAddr from "proxy-addr";
import type { AppContext } from "#app/context.server.ts";
import { instrumentation } from "#app/domain/audit/instrumentation.server.ts";

/** An entry with a port, as some proxies write it: `192.0.2.1:443`, `[2001:db8::1]:443`; or `[2001:db8::1]`. */
const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/;
const IPV6_IN_BRACKETS = /^\[([\da-f:.]+)\](:\d{1,5})?$/i;

/**
 * The state of the X-Forwarded-For of a request: "used", or "missing" although a trusted proxy connects; "ignored",
 * because the address that connects is not in TRUST_PROXY; or "none".
 */
export type ForwardedFor = "used" | "missing" | "ignored" | "none";

/** The address of a client, and how it was found. */
type Client = { address: string; forwardedFor: ForwardedFor };

/**
 * Creates the function that finds a client's address: X-Forwarded-For as far as TRUST_PROXY allows, else the address
 * that connects. A trusted proxy's entry that is no address is counted, and logged once, because all visitors of the
 * proxy then share its limits. Call it before the header is replaced.
 */
export function createClientOf({
  config: { trustProxy },
  log,
}: Pick<AppContext, "config" | "log">): (request: IncomingMessage) => Client {
  const isTrusted = proxyAddr.compile(trustProxy);
  let isLogged = false;
  return (request) => {
    const peer = request.socket.remoteAddress ?? "";
    const forwarded = request.headers["x-forwarded-for"];
    const isProxy = isTrusted(peer, 0);
    if (!isProxy || typeof forwarded !== "string") {
      const isSent = forwarded !== undefined;
      return { address: withoutMappedPrefix(peer), forwardedFor: isProxy ? "missing" : isSent ? "ignored" : "none" };
    }
    request.headers["x-forwarded-for"] = withoutPorts(forwarded);
    const found = proxyAddr(request, isTrusted);
    if (isIP(found) || found === peer) return { address: withoutMappedPrefix(found), forwardedFor: "used" };
    instrumentation.emit("unreadable client address");
    if (!isLogged) {
      const what = "The proxy's X-Forwarded-For has no IP address: its visitors share the limits of one address";
      log.warn({ event: "client-address.unreadable", proxy: withoutMappedPrefix(peer) }, what);
      isLogged = true;
    }
    return { address: withoutMappedPrefix(peer), forwardedFor: "used" };
  };
}

function withoutPorts(forwarded: string): string {
  return forwarded
    .split(",")
    .map((entry) => withoutPort(entry.trim()))
    .join(", ");
}

function withoutPort(entry: string): string {
  const [, ipv4 = ""] = IPV4_WITH_PORT.exec(entry) ?? [];
  const [, ipv6 = ""] = IPV6_IN_BRACKETS.exec(entry) ?? [];
  if (isIPv4(ipv4)) return ipv4;
  return isIPv6(ipv6) ? ipv6 : entry;
}

/** An IPv4 address, mapped to IPv6 by the operating system or a proxy, counts as IPv4. */
function withoutMappedPrefix(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
