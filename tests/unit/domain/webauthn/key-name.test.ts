import { expect, it } from "vitest";
import { defaultKeyName } from "#app/domain/webauthn/key-name.ts";

it.each([
  [["usb", "nfc"], [], "Security key"],
  [[], [], "Security key"],
  [["hybrid", "internal"], [], "Phone"],
  [["usb"], ["Security key"], "Security key 2"],
  [["usb"], ["Security key", "Security key 3"], "Security key 2"],
  [["usb"], ["Security key", "Security key 2", "Phone"], "Security key 3"],
])("a key with transports %j beside %j is called %s", (transports, taken, name) => {
  expect(defaultKeyName(transports, taken, { key: "Security key", phone: "Phone" })).toBe(name);
});
