import { expect, it } from "vitest";
import { addressBucket, networksOf } from "#app/domain/throttle/address-bucket.server.ts";

it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["::ffff:c000:207", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["unknown", "unknown"],
])("attempts from %s are counted under %s", (address, bucket) => {
  expect(addressBucket(address)).toBe(bucket);
});

it.each([
  ["192.0.2.7", ["192.0.2.7"]],
  ["2001:db8:1:abcd::9", ["2001:db8:1:abcd::/64", "2001:db8:1:ab00::/56", "2001:db8:1::/48"]],
  ["2001:db8::1", ["2001:db8:0:0::/64", "2001:db8:0:0::/56", "2001:db8:0::/48"]],
])("%s belongs to the networks %j", (address, networks) => {
  expect(networksOf(address)).toEqual(networks);
});
