import { domainToASCII, domainToUnicode } from "node:url";
import { z } from "zod";

/** Maximum length of a mail address (RFC 5321 §4.5.3.1). */
const MAX_LENGTH = 254;

/** A dot-atom (RFC 5322 §3.2.3), with the letters and digits of all languages (RFC 6531 §3.3). */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;

/** Characters of a domain as typed. Node's conversion would accept a port, a path and percent-encoding as well. */
const TYPED_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;

const ASCII_DOMAIN = /^[a-z0-9][a-z0-9-]{0,62}(\.[a-z0-9][a-z0-9-]{0,62})*$/;

/** A domain of the public DNS: it contains a dot, and is no IP address. */
const PUBLIC_DOMAIN = /\.([a-z]{2,}|xn--[a-z0-9-]+)$/;

const NON_ASCII = /[^\0-\x7f]/;

/**
 * A mail address of a user. Returns the form that is stored and that mail programs and clients accept: the local part
 * as typed, a domain with umlauts in its ASCII form (`xn--…`, RFC 5890).
 */
export const mailAddressSchema = z.string().transform((text, issues) => {
  const address = parse(text);
  if (address && isCompatible(address) && PUBLIC_DOMAIN.test(address.domain)) return asciiDomain(text);
  issues.addIssue({ code: "custom", message: "is not a mail address" });
  return z.NEVER;
});

/** Returns true for a mail address, including those of local hosts such as `root@localhost`. */
export function isMailAddress(text: string): boolean {
  const address = parse(text);
  return address !== null && isCompatible(address);
}

/**
 * Returns the form in which two addresses are compared: the local part in lower case (NFKC, final sigma folded, as of
 * user names), the domain in ASCII. Returns null for any other text.
 */
export function canonicalAddress(text: string): string | null {
  if (text.length > MAX_LENGTH) return null;
  const address = parse(text.normalize("NFKC"));
  if (address === null) return null;
  const local = address.local.toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
  return `${local}@${address.domain}`;
}

/** Returns true if two stored addresses are spellings of the same one, or both null. */
export function isSameAddress(one: string | null, other: string | null): boolean {
  if (one === other) return true;
  if (one === null || other === null) return false;
  const canonical = canonicalAddress(one);
  return canonical !== null && canonical === canonicalAddress(other);
}

/** Returns both spellings of a canonical address: with an ASCII domain, and with the Unicode domain. */
export function spellingsOf(canonical: string): string[] {
  const at = canonical.lastIndexOf("@") + 1;
  return [...new Set([canonical, canonical.slice(0, at) + domainToUnicode(canonical.slice(at))])];
}

/** Returns the address with its domain in ASCII, which every mail server accepts. */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf("@") + 1;
  const domain = address.slice(at);
  const local = address.slice(0, at).normalize("NFC");
  return local + (NON_ASCII.test(domain) ? domainToASCII(domain.normalize("NFKC")) : domain);
}

/** Returns true if only servers with SMTPUTF8 (RFC 6531) accept mail for this address. */
export function needsSmtpUtf8(address: string): boolean {
  return NON_ASCII.test(address.slice(0, address.lastIndexOf("@")));
}

type MailAddress = { local: string; domain: string };

/** Returns the local part as typed and the domain in ASCII. */
function parse(text: string): MailAddress | null {
  const at = text.lastIndexOf("@");
  if (at < 0 || text.length > MAX_LENGTH) return null;
  const local = text.slice(0, at);
  const typed = text.slice(at + 1).normalize("NFKC");
  if (!LOCAL_PART.test(local) || !TYPED_DOMAIN.test(typed)) return null;
  const domain = domainToASCII(typed);
  if (!ASCII_DOMAIN.test(domain) || !isDecodable(domain) || at + 1 + domain.length > MAX_LENGTH) return null;
  // Node reads numbers as an IP address: "1.2" as "1.0.0.2".
  return NON_ASCII.test(typed) || domain === typed.toLowerCase() ? { local, domain } : null;
}

/** Node returns a label that is no valid Punycode unchanged. */
function isDecodable(domain: string): boolean {
  const unicode = domainToUnicode(domain);
  return !/(^|\.)xn--/.test(unicode) && domainToASCII(unicode) === domain;
}

/** Returns false for letters such as "ﬁ" or "ａ", which compare equal to others but are another mailbox. */
function isCompatible({ local }: MailAddress): boolean {
  return local.normalize("NFC") === local.normalize("NFKC");
}
