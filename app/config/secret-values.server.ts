import type { KeyObject } from "node:crypto";
import { z } from "zod";
import { validateServerUrl } from "./database-value.server.ts";
import { readPrivateKey } from "./private-key.server.ts";
import { oneLine, type ValidationError, validated, validateWhiteSpace } from "./validate.server.ts";

/** Minimum length of a key of SECRET_KEYS, in characters. */
export const SECRET_KEY_MIN_LENGTH = 32;

/** SECRET_KEYS, newest first. Errors identify a key by its position, never by its text. */
export function secretKeys() {
  return validated(oneLine(10_000), validateKeys).transform(splitKeys);
}

/** A client secret issued by a provider. */
export function clientSecret() {
  return validated(oneLine(1000), validateWhiteSpace);
}

/** URL of the mail server. */
export function smtpUrl() {
  return validated(oneLine(2000), validateSmtpUrl);
}

/** An EC P-256 key (ES256) as PEM, with real or `\n` line breaks; converted to PKCS #8. */
export function ecPrivateKey() {
  return z.string().transform((text, ctx) => {
    const key = readPrivateKey(text.replaceAll("\\n", "\n"));
    const wrong = validatePrivateKey(key);
    if (!key || wrong) {
      ctx.issues.push({ code: "custom", message: wrong ?? "is empty", input: null });
      return z.NEVER;
    }
    return key.export({ type: "pkcs8", format: "pem" }).toString();
  });
}

function splitKeys(text: string): string[] {
  return text.split(",").map((part) => part.trim());
}

function validateKeys(text: string): ValidationError {
  const keys = splitKeys(text);
  const empty = keys.indexOf("");
  if (empty >= 0) return `is empty at position ${empty + 1} of ${keys.length}`;
  const short = keys.findIndex((key) => [...key].length < SECRET_KEY_MIN_LENGTH);
  if (short >= 0) return `has only ${[...(keys[short] ?? "")].length} characters in key ${short + 1} of ${keys.length}`;
  const twice = keys.findIndex((key, place) => keys.indexOf(key) !== place);
  return twice >= 0
    ? `contains the same key at positions ${keys.indexOf(keys[twice] ?? "") + 1} and ${twice + 1}`
    : null;
}

function validateSmtpUrl(text: string): ValidationError {
  if (!/^smtps?:\/\//.test(text)) return "does not start with smtp:// or smtps://";
  return validateServerUrl(text, /^\/?$/) ?? (new URL(text).hostname === "" ? "contains no host" : null);
}

function validatePrivateKey(key: KeyObject | null): ValidationError {
  if (!key) return "is not an unencrypted private key in PEM format";
  if (key.asymmetricKeyType !== "ec") return `is a key of type ${key.asymmetricKeyType ?? "unknown"}, not EC`;
  const curve = key.asymmetricKeyDetails?.namedCurve ?? "unknown";
  return curve === "prime256v1" ? null : `is an EC key on the curve ${curve}, not P-256`;
}
