import { createAuthenticator, type Tampering } from "#tests/support/authenticator.ts";

export const ORIGIN = "https://login.office.example";
export const RELYING_PARTY = { id: "login.office.example", origin: ORIGIN };
export const CHALLENGE = Buffer.alloc(32, 5).toString("base64url");
export const STARTED = { relyingPartyId: RELYING_PARTY.id, challenge: CHALLENGE };

export function authenticator(options: Partial<Parameters<typeof createAuthenticator>[0]> = {}) {
  return createAuthenticator({ origin: ORIGIN, ...options });
}

/** Invalid responses of both ceremonies; `otherType` is the type of the other ceremony. */
export function invalidResponses(otherType: string): [string, Tampering][] {
  return [
    // Proves requirement 39.
    ["of the other ceremony", { clientData: { type: otherType } }],
    ["to another challenge", { clientData: { challenge: Buffer.alloc(32, 6).toString("base64url") } }],
    // Proves requirement 51.
    ["without a challenge", { clientData: { challenge: undefined } }],
    ["from another site", { clientData: { origin: "https://evil.example" } }],
    // Proves requirement 40.
    ["from the same host without TLS", { clientData: { origin: "http://login.office.example" } }],
    // Proves requirement 40.
    ["from another port", { clientData: { origin: `${ORIGIN}:8443` } }],
    // Proves requirement 40.
    ["from a host below", { clientData: { origin: "https://a.login.office.example" } }],
    ["from the host above", { clientData: { origin: "https://office.example" } }],
    // Proves requirement 40.
    ["from an origin that only begins with ours", { clientData: { origin: `${ORIGIN}.evil.example` } }],
    ["from an origin with a slash", { clientData: { origin: `${ORIGIN}/` } }],
    ["from several origins", { clientData: { origin: [ORIGIN] } }],
    // Proves requirement 42.
    ["from a frame on another site", { clientData: { crossOrigin: true, topOrigin: "https://evil.example" } }],
    ["from a frame, of a browser that does not say whose", { clientData: { crossOrigin: true } }],
    ["from a frame, as a text", { clientData: { crossOrigin: "false" } }],
    // Proves requirement 42.
    ["that names a page around it", { clientData: { topOrigin: ORIGIN } }],
    ["that names an empty page around it", { clientData: { topOrigin: "" } }],
    ["that names null as the page around it", { clientData: { topOrigin: null } }],
    // Proves requirement 41.
    ["for another relying party", { rpId: "evil.example" }],
    ["for the host above", { rpId: "office.example" }],
    // Proves requirement 43.
    ["of a key nobody touched", { up: false }],
    ["of a key nobody touched, with a PIN", { up: false, uv: true }],
    // Proves requirement 46.
    ["that is backed up but cannot be", { be: false, bs: true }],
    // Proves requirement 50.
    ["whose client data were changed", { afterSigning: { clientDataJSON: spaced } }],
    // Proves requirement 50.
    ["whose authenticator data were changed", { afterSigning: { authenticatorData: withPin } }],
    ["whose signature was changed", { signature: flipped }],
    ["whose signature is no signature", { signature: () => Buffer.from("no signature") }],
  ];
}

/** Returns equivalent JSON with other bytes. */
function spaced(clientDataJSON: Buffer): Buffer {
  return Buffer.concat([clientDataJSON, Buffer.from(" ")]);
}

/** Sets the user-verified flag. */
function withPin(authenticatorData: Buffer): Buffer {
  const changed = Buffer.from(authenticatorData);
  changed.writeUInt8(changed.readUInt8(32) | 0b100, 32);
  return changed;
}

function flipped(signature: Buffer): Buffer {
  const changed = Buffer.from(signature);
  const last = changed.length - 1;
  changed.writeUInt8(changed.readUInt8(last) ^ 1, last);
  return changed;
}

/** Values that are not a response. */
export const GARBAGE: unknown[] = [
  undefined,
  null,
  "",
  "{",
  "null",
  "[]",
  "\0",
  7,
  true,
  [],
  {},
  { id: {}, response: [] },
  { id: "aaaa", rawId: "aaaa", type: "public-key", response: null },
  { id: "aaaa", rawId: "aaaa", type: "public-key", response: { clientDataJSON: "e30" } },
];
