import { networksOf } from "./address-bucket.server.ts";
import { type Count, createLimiter, type Limit } from "./limiter.server.ts";

/**
 * The networks in the order of `networksOf`, and how many times the limit each of them gets. Providers give a subscriber
 * a /64, a /56 or a /48: up to 256 and 65,536 networks of one /64, which must not have a limit each.
 */
const NETWORKS = [
  { suffix: "", factor: 1 },
  { suffix: "/56", factor: 4 },
  { suffix: "/48", factor: 16 },
] as const;

/** The networks of an address under which something is counted, and how many times the limit each of them gets. */
export function sharesOf(address: string): { network: string; factor: number }[] {
  return networksOf(address).flatMap((network, index) => {
    const share = NETWORKS[index];
    return share ? [{ network, factor: share.factor }] : [];
  });
}

/**
 * A limit on what comes from one client address: an IPv4 address, or an IPv6 /64; over an IPv6 /56 four times as much, over
 * a /48 sixteen times. Returns the counters of an address, always in the same order.
 */
export function createNetworkLimit({ name, points, windowSeconds }: Limit): (address: string) => Count[] {
  const limiters = NETWORKS.map(({ suffix, factor }) =>
    createLimiter({ name: `${name}${suffix}`, points: points * factor, windowSeconds }),
  );
  return (address) =>
    networksOf(address).flatMap((key, index) => {
      const limiter = limiters[index];
      return limiter ? [{ limiter, key }] : [];
    });
}
