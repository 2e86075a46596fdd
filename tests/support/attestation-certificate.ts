import { createHash, type KeyObject, sign } from "node:crypto";

/** A certificate extension: dotted object id, and value as DER. */
type Extension = { id: string; value: Buffer };

/** Returns a certificate (X.509 v3, DER) of a P-256 key, signed with `issuerKey` (P-256, SHA-256). */
export function certificate(input: {
  name: string;
  issuer: string;
  publicKey: KeyObject;
  issuerKey: KeyObject;
  extensions?: Extension[];
  /** Default: the end of 2049. */
  endsAt?: Date;
}): Buffer {
  const algorithm = sequence(objectId("1.2.840.10045.4.3.2"));
  const signed = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    nameOf(input.issuer),
    sequence(der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from(utcTime(input.endsAt)))),
    nameOf(input.name),
    input.publicKey.export({ type: "spki", format: "der" }),
    ...extensionsOf(input.extensions ?? []),
  );
  return sequence(signed, algorithm, bits(sign("sha256", signed, input.issuerKey)));
}

/** Returns a UTCTime (RFC 5280 §4.1.2.5.1). */
function utcTime(at = new Date("2049-12-31T23:59:59Z")): string {
  return `${at
    .toISOString()
    .replace(/[-:T]|\.\d+/g, "")
    .slice(2)}`;
}

/** Returns the extension CRL distribution points. */
export function revocationListAt(url: string): Extension {
  const point = sequence(der(0xa0, der(0xa0, der(0x86, Buffer.from(url)))));
  return { id: "2.5.29.31", value: sequence(point) };
}

/** Returns the extension with the host names of a server certificate. */
export function subjectAlternativeNames(...hosts: string[]): Extension {
  return { id: "2.5.29.17", value: sequence(...hosts.map((host) => der(0x82, Buffer.from(host)))) };
}

/** Returns Android's key description extension, which contains the hash of the client data. */
export function androidKeyDescription(clientDataJSON: Buffer): Extension {
  const challenge = createHash("sha256").update(clientDataJSON).digest();
  const level = der(0x0a, Buffer.from([1]));
  const value = sequence(
    integer(3),
    level,
    integer(4),
    level,
    der(0x04, challenge),
    der(0x04, Buffer.alloc(0)),
    sequence(),
    sequence(),
  );
  return { id: "1.3.6.1.4.1.11129.2.1.17", value };
}

function nameOf(commonName: string) {
  return sequence(der(0x31, sequence(objectId("2.5.4.3"), der(0x0c, Buffer.from(commonName)))));
}

function extensionsOf(extensions: Extension[]): Buffer[] {
  if (extensions.length === 0) return [];
  return [der(0xa3, sequence(...extensions.map(({ id, value }) => sequence(objectId(id), der(0x04, value)))))];
}

function sequence(...members: Buffer[]) {
  return der(0x30, Buffer.concat(members));
}

function integer(value: number) {
  return der(0x02, Buffer.from([value]));
}

function bits(bytes: Buffer) {
  return der(0x03, Buffer.concat([Buffer.from([0]), bytes]));
}

function objectId(dotted: string) {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) digits.unshift((left % 128) | 0x80);
  return digits;
}

function der(tag: number, content: Buffer) {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
