import { isIPv6 } from "node:net";

/**
 * Returns the network under which an address is counted: an IPv4 address (also if mapped to IPv6), or an IPv6 /64,
 * which one subscriber controls.
 */
export function addressBucket(address: string): string {
  return networksOf(address)[0];
}

/** Returns the largest network of an address: the IPv4 address, or the IPv6 /48. */
export function widestNetworkOf(address: string): string {
  const networks = networksOf(address);
  return networks.at(-1) ?? networks[0];
}

/** Returns all networks under which an address is counted: the IPv4 address, or the IPv6 /64, /56 and /48. */
export function networksOf(address: string): [string, ...string[]] {
  const withoutZone = address.split("%", 1)[0] ?? address;
  if (!isIPv6(withoutZone)) return [address];
  const groups = ipv6Groups(withoutZone);
  const [high, low] = groups.slice(6);
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff" && high !== undefined && low !== undefined) {
    return [[...bytesOf(high), ...bytesOf(low)].join(".")];
  }
  const site = groups.slice(0, 3).join(":");
  const [subnet] = bytesOf(groups[3] ?? "0");
  return [`${groups.slice(0, 4).join(":")}::/64`, `${site}:${(subnet << 8).toString(16)}::/56`, `${site}::/48`];
}

/** Returns the eight groups in hexadecimal. The URL parser normalises the spelling (RFC 5952), embedded IPv4 too. */
function ipv6Groups(address: string): string[] {
  const compressed = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = compressed.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = new Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after];
}

function bytesOf(group: string): [number, number] {
  const bits = Number.parseInt(group, 16);
  return [bits >> 8, bits & 0xff];
}
