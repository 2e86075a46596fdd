import { isIPv6 } from "node:net";

/**
 * The address under which attempts are counted: an IPv4 address as it is, also when it comes in IPv6 clothes, and the
 * first 64 bits of an IPv6 address, since one subscriber has all addresses behind them.
 */
export function addressBucket(address: string): string {
  return networksOf(address)[0];
}

/** The largest of `networksOf`: an IPv4 address, or an IPv6 /48. */
export function widestNetworkOf(address: string): string {
  const networks = networksOf(address);
  return networks.at(-1) ?? networks[0];
}

/** The networks of an address under which attempts are counted: the bucket, and for IPv6 its /56 and its /48 too. */
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

/** The eight groups in hexadecimal. The URL parser brings every spelling into one (RFC 5952), embedded IPv4 too. */
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
