import { expect, it } from "vitest";
import { defaultKeyName, defaultPasskeyName } from "#app/domain/webauthn/key-name.ts";
import { FIRST_KEY_NAMES } from "#tests/support/factors.ts";

it.each([
  [["usb", "nfc"], [], "Security key"],
  [[], [], "Security key"],
  [["hybrid", "internal"], [], "Phone"],
  [["usb"], ["Security key"], "Security key 2"],
  [["usb"], ["Security key", "Security key 3"], "Security key 2"],
  [["usb"], ["Security key", "Security key 2", "Phone"], "Security key 3"],
])("a key with transports %j beside %j is called %s", (transports, taken, name) => {
  expect(defaultKeyName(transports, taken, FIRST_KEY_NAMES)).toBe(name);
});

it.each([
  ["08987058-cadc-4b81-b6e1-30de50dcbe96", [], "Windows Hello"],
  ["08987058-CADC-4B81-B6E1-30DE50DCBE96", ["Windows Hello"], "Windows Hello 2"],
  ["fbfc3007-154e-4ecc-8c0b-6e020557d7bd", [], "Apple Passwords"],
  ["00000000-0000-0000-0000-000000000000", [], "Passkey"],
  [null, ["Passkey"], "Passkey 2"],
])("a passkey of AAGUID %s beside %j is called %s", (aaguid, taken, name) => {
  expect(defaultPasskeyName(aaguid, taken, FIRST_KEY_NAMES)).toBe(name);
});
