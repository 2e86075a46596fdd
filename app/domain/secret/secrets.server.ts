import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual, webcrypto } from "node:crypto";
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from "jose";
import { DomainError } from "#app/domain/base/errors.ts";
import type { SealedSecret, SealPurpose } from "#app/ports.ts";

/** Purpose of a MAC. A MAC is valid for one purpose only. */
export type MacPurpose = (typeof MAC_PURPOSES)[number];

const MAC_PURPOSES = [
  "xsrf",
  "login-challenge",
  "consent-challenge",
  "cookie",
  "settings-chain",
  "error-page",
  "refresh-successor",
  "typed-name",
  "passkey-challenge",
  "help",
  "help-words",
] as const;

/** Cryptographic operations with SECRET_KEYS. Does not expose the keys. */
export type Secrets = {
  /** Fingerprint of the newest key, 16 hex digits. Not secret. */
  fingerprint: string;
  /** Returns an HMAC-SHA256 by the newest key, base64url, 43 characters. A restore invalidates it. */
  mac(purpose: MacPurpose, data: string): string;
  /** Returns true if any key made this MAC for this purpose and restore generation. Constant time. */
  checkMac(purpose: MacPurpose, data: string, mac: string): boolean;
  /**
   * Encrypts a value for the database, a cookie or a URL with the newest key. Stays readable after a restore.
   * @param zip compresses the value first (RFC 7516 §4.1.3)
   */
  seal(purpose: SealPurpose, plaintext: string, zip?: "DEF"): Promise<SealedSecret>;
  /** Decrypts a value. Throws DomainError "wrong secret key", whose detail contains the key's fingerprint. */
  open(purpose: SealPurpose, sealed: SealedSecret): Promise<string>;
  /** Keys for the engine's cookie signatures, newest first, base64url. A restore invalidates them. */
  cookieKeys: string[];
};

type DerivedKeys = {
  fingerprint: string;
  mac: Record<MacPurpose, KeyObject>;
  seal: Record<SealPurpose, Promise<webcrypto.CryptoKey>>;
  cookie: string;
};

/**
 * Derives all keys from SECRET_KEYS (newest first) by HKDF-SHA256 without salt (RFC 5869). Info:
 * `gatehouse/mac/PURPOSE/EPOCH`, `gatehouse/seal/PURPOSE`, `gatehouse/engine-cookie/EPOCH`, `gatehouse/fingerprint`.
 * The newest key signs and encrypts; all keys verify and decrypt. `epoch` is the restore generation: a restore
 * increments it and thereby invalidates MACs and cookies, but not sealed values.
 */
export function createSecrets(input: { secretKeys: string[]; epoch: number }): Secrets {
  const keys = input.secretKeys.map((secretKey) => deriveKeys(secretKey, input.epoch));
  const [newest] = keys;
  if (!newest) throw new Error("SECRET_KEYS is empty");
  return {
    fingerprint: newest.fingerprint,
    cookieKeys: keys.map((key) => key.cookie),
    mac: (purpose, data) => hmac(newest.mac[purpose], data),
    checkMac: (purpose, data, mac) => checkAgainstAll(keys, purpose, data, mac),
    seal: (purpose, plaintext, zip) => encrypt(newest, purpose, { plaintext, zip }),
    open: (purpose, sealed) => decrypt(keys, purpose, sealed),
  };
}

function deriveKeys(secretKey: string, epoch: number): DerivedKeys {
  const derive = (info: string, length: number) =>
    new Uint8Array(hkdfSync("sha256", secretKey, "", `gatehouse/${info}`, length));
  // Keys are imported once: the import for each MAC takes nine times as long as the MAC (decision 098), and that for each
  // encryption a quarter of its time.
  const macKey = (purpose: MacPurpose) => createSecretKey(derive(`mac/${purpose}/${epoch}`, 32));
  const sealKey = (purpose: SealPurpose) =>
    webcrypto.subtle.importKey("raw", derive(`seal/${purpose}`, 32), "AES-GCM", false, ["encrypt", "decrypt"]);
  return {
    fingerprint: Buffer.from(derive("fingerprint", 8)).toString("hex"),
    mac: {
      xsrf: macKey("xsrf"),
      "login-challenge": macKey("login-challenge"),
      "consent-challenge": macKey("consent-challenge"),
      cookie: macKey("cookie"),
      "settings-chain": macKey("settings-chain"),
      "error-page": macKey("error-page"),
      "refresh-successor": macKey("refresh-successor"),
      "typed-name": macKey("typed-name"),
      "passkey-challenge": macKey("passkey-challenge"),
      help: macKey("help"),
      "help-words": macKey("help-words"),
    },
    seal: {
      "signing-key": sealKey("signing-key"),
      totp: sealKey("totp"),
      "client-secret": sealKey("client-secret"),
      mail: sealKey("mail"),
      "provider-answer": sealKey("provider-answer"),
      "username-cookie": sealKey("username-cookie"),
      "typed-username": sealKey("typed-username"),
      "authorization-request": sealKey("authorization-request"),
    },
    cookie: Buffer.from(derive(`engine-cookie/${epoch}`, 32)).toString("base64url"),
  };
}

/** Maximum size of a decompressed value; authorization requests are limited to less. */
const MAX_DECOMPRESSED_BYTES = 64 * 1024;

function hmac(key: KeyObject, data: string): string {
  return createHmac("sha256", key).update(data).digest("base64url");
}

function checkAgainstAll(keys: DerivedKeys[], purpose: MacPurpose, data: string, mac: string): boolean {
  const presented = Buffer.from(mac);
  // No early exit, so that the timing does not show which key matched. Compared as text, because base64url decoding
  // ignores stray characters.
  return keys.reduce((matched, key) => isSame(Buffer.from(hmac(key.mac[purpose], data)), presented) || matched, false);
}

function isSame(expected: Uint8Array, presented: Uint8Array): boolean {
  return expected.length === presented.length && timingSafeEqual(expected, presented);
}

async function encrypt(
  key: DerivedKeys,
  purpose: SealPurpose,
  { plaintext, zip }: { plaintext: string; zip: "DEF" | undefined },
): Promise<SealedSecret> {
  const sealed = await new CompactEncrypt(new TextEncoder().encode(plaintext))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: key.fingerprint, ...(zip ? { zip } : {}) })
    .encrypt(await key.seal[purpose]);
  if (!isSealedSecret(sealed)) throw new Error("encryption did not return a compact JWE");
  return sealed;
}

/** Returns true for a compact JWE with `dir`, whose encrypted key is empty (RFC 7516 §5.1). */
export function isSealedSecret(value: string): value is SealedSecret {
  return /^[\w-]+\.\.[\w-]+\.[\w-]*\.[\w-]+$/.test(value);
}

async function decrypt(keys: DerivedKeys[], purpose: SealPurpose, sealed: SealedSecret): Promise<string> {
  const fingerprint = sealedBy(sealed);
  const key = keys.find((candidate) => candidate.fingerprint === fingerprint);
  if (!key) {
    throw new DomainError("wrong secret key", {
      detail: `no key of SECRET_KEYS has the fingerprint ${fingerprint}`,
    });
  }
  try {
    const { plaintext } = await compactDecrypt(sealed, await key.seal[purpose], {
      keyManagementAlgorithms: ["dir"],
      contentEncryptionAlgorithms: ["A256GCM"],
      maxDecompressedLength: MAX_DECOMPRESSED_BYTES,
    });
    return new TextDecoder().decode(plaintext);
  } catch {
    throw new DomainError("wrong secret key", {
      detail: `the value sealed with key ${fingerprint} as ${purpose} is damaged, or was sealed for another purpose`,
    });
  }
}

/** Returns the fingerprint of the key that sealed a value, or "(unreadable)". Does not decrypt. */
export function sealedBy(sealed: string): string {
  try {
    const { kid } = decodeProtectedHeader(sealed);
    return kid && /^[0-9a-f]{16}$/.test(kid) ? kid : "(unreadable)";
  } catch {
    return "(unreadable)";
  }
}
