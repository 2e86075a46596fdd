import { networksOf } from "./address-bucket.server.ts";
import { type Count, createLimiter, type Limit } from "./limiter.server.ts";

/**
 * Factor of the limit per network, in the order of `networksOf`. Providers assign a /64, a /56 or a /48 to a
 * subscriber, so that a limit per /64 alone would allow up to 65,536 times as much.
 */
const NETWORKS = [
  { suffix: "", factor: 1 },
  { suffix: "/56", factor: 4 },
  { suffix: "/48", factor: 16 },
] as const;

/** Returns the networks of an address and their factors of the limit. */
export function sharesOf(address: string): { network: string; factor: number }[] {
  return networksOf(address).flatMap((network, index) => {
    const share = NETWORKS[index];
    return share ? [{ network, factor: share.factor }] : [];
  });
}

/**
 * Creates a limit per client address (IPv4 address or IPv6 /64), 4 times as high per /56 and 16 times per /48. Returns
 * the counters of an address in a fixed order.
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
