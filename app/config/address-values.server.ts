import { isIP } from "node:net";
import { z } from "zod";
import { parseUrl, quote, type ValidationError, validated } from "./validate.server.ts";

/** ISSUER: an origin, because pages and engine use every path of the host. */
export function ownIssuer() {
  return validated(validateWebUrl, validateScheme, validateOrigin);
}

/** The issuer of an upstream provider, kept as typed because it is compared character by character. */
export function upstreamIssuer() {
  return validated(validateWebUrl, validateScheme, validateNoQuery);
}

/** The issuer of one tenant. The aliases issue tokens of many issuers, none of which equals the configured one. */
export function tenantIssuer() {
  return validated(validateWebUrl, validateScheme, validateNoQuery, validateTenant);
}

/** A token endpoint (RFC 6749 §3.2). */
export function tokenUrl() {
  return validated(validateWebUrl, validateScheme, validateNoFragment);
}

/** A link for users: http or https, on any host. */
export function webUrl() {
  return validated(validateWebUrl);
}

/** An address to listen on. */
export function listenHost() {
  return validated(validateHost);
}

/** Addresses and CIDR blocks, separated by commas. */
export function addressList() {
  return z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .pipe(z.array(validated(validateBlock)));
}

/** Returns true if a URL's host can only be this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3). */
export function isLoopback(hostname: string): boolean {
  const isName = hostname === "localhost" || hostname.endsWith(".localhost");
  return isName || hostname === "[::1]" || (isIP(hostname) === 4 && hostname.startsWith("127."));
}

function validateWebUrl(text: string): ValidationError {
  const url = parseUrl(text);
  // `new URL` also accepts "https:example.com" and white space, which other programs do not.
  if (!url || !/^https?:\/\/[^\s\\]+$/i.test(text)) return `is not an http or https URL: ${quote(text)}`;
  return url.username || url.password ? "contains a user name or a password" : null;
}

function validateScheme(text: string): ValidationError {
  const { protocol, hostname } = new URL(text);
  const isOpen = protocol === "http:" && !isLoopback(hostname);
  return isOpen ? `uses http for ${quote(hostname)}; http is allowed for this machine only` : null;
}

function validateOrigin(text: string): ValidationError {
  const { origin } = new URL(text);
  return text === origin ? null : `is ${quote(text)}, which is not an origin; did you mean ${quote(origin)}?`;
}

function validateNoQuery(text: string): ValidationError {
  return /[?#]/.test(text) ? "contains a query or a fragment" : null;
}

function validateNoFragment(text: string): ValidationError {
  return text.includes("#") ? "contains a fragment" : null;
}

function validateTenant(text: string): ValidationError {
  const parts = new URL(text).pathname.split("/");
  const alias = parts.find((part) => /^(common|organizations|consumers)$/i.test(part));
  return alias ? `contains the alias ${quote(alias)} of many tenants, which is never the issuer of a token` : null;
}

function validateHost(text: string): ValidationError {
  const isName = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i.test(text) && !/^[\d.]+$/.test(text);
  return isIP(text) > 0 || isName ? null : `is neither an IP address nor a host name: ${quote(text)}`;
}

function validateBlock(text: string): ValidationError {
  if (text === "") return "contains an empty entry";
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  const isBlock =
    version > 0 && rest.length === 0 && (prefix === undefined || isPrefix(prefix, version === 4 ? 32 : 128));
  if (!isBlock) return `contains an entry that is neither an IP address nor a CIDR block: ${quote(text)}`;
  return prefix === "0" ? `contains every address: ${quote(text)}` : null;
}

function isPrefix(text: string, bits: number): boolean {
  return /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= bits;
}
