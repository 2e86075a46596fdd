import { type KeyObject, X509Certificate } from "node:crypto";
import { z } from "zod";
import { readPrivateKey } from "./private-key.server.ts";
import { quote, type ValidationError, validated } from "./validate.server.ts";

/** Least bits of an RSA key (RFC 7518 §3.3). */
const RSA_MIN_BITS = 2048;

/** A Microsoft 365 tenant: part of the path of its token endpoint. */
export function microsoftTenant() {
  return validated(validateTenant);
}

/** A day as YYYY-MM-DD; its end in UTC. */
export function endDate() {
  return validated(validateDate).transform((text) => new Date(`${text}T23:59:59.999Z`));
}

/** An RSA private key and its certificate in PEM, with real or `\n` line breaks. Errors never quote the text. */
export function clientCertificate() {
  return z.string().transform((text, ctx) => {
    const pem = text.replaceAll("\\n", "\n");
    const privateKey = readKey(pem);
    const certificate = readCertificate(pem);
    const wrong = validateKey(privateKey) ?? validateCertificate(certificate, privateKey);
    if (!privateKey || !certificate || wrong) return refuse(ctx, wrong);
    const thumbprint = Buffer.from(certificate.fingerprint256.replaceAll(":", ""), "hex").toString("base64url");
    return { privateKey: toPkcs8(privateKey), thumbprint, endsAt: new Date(certificate.validTo) };
  });
}

const serviceAccountSchema = z.object({
  type: z.literal("service_account"),
  client_email: z.string().min(1).max(300),
  private_key: z.string(),
  private_key_id: z.string().max(200),
  token_uri: z.string().refine(isTokenUri),
});

/** The JSON of a Google service account's key. Errors never quote the text. */
export function serviceAccount() {
  return z.string().transform((text, ctx) => {
    const parsed = serviceAccountSchema.safeParse(readJson(text));
    if (!parsed.success) return refuse(ctx, whatIsWrong(parsed.error));
    const privateKey = readKey(parsed.data.private_key);
    const wrong = validateKey(privateKey);
    if (!privateKey || wrong) return refuse(ctx, wrong);
    const { client_email: clientId, private_key_id: keyId, token_uri: tokenUrl } = parsed.data;
    return { clientId, keyId, tokenUrl, privateKey: toPkcs8(privateKey) };
  });
}

type Context = { issues: { push(issue: { code: "custom"; message: string; input: null }): unknown } };

function refuse(ctx: Context, wrong: ValidationError): never {
  ctx.issues.push({ code: "custom", message: wrong ?? "is unusable", input: null });
  return z.NEVER;
}

function validateTenant(text: string): ValidationError {
  if (/^(common|organizations|consumers)$/i.test(text)) return `is the alias ${quote(text)} of many tenants`;
  const isDomain = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i.test(text);
  return isDomain || z.guid().safeParse(text).success ? null : `is neither an ID nor a domain: ${quote(text)}`;
}

function validateDate(text: string): ValidationError {
  return z.iso.date().safeParse(text).success ? null : `is not a date: ${quote(text)}`;
}

function readKey(pem: string): KeyObject | null {
  // This reads only the block of the key, because the certificate may stand before it.
  const [block] = /-----BEGIN (?<type>[A-Z ]*PRIVATE KEY)-----[^-]*-----END \k<type>-----/.exec(pem) ?? [];
  return readPrivateKey(block ?? "");
}

function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function validateKey(key: KeyObject | null): ValidationError {
  if (!key) return "contains no unencrypted private key in PEM format";
  if (key.asymmetricKeyType !== "rsa") return `contains a key of type ${key.asymmetricKeyType ?? "unknown"}, not RSA`;
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  return bits < RSA_MIN_BITS ? `contains an RSA key of only ${bits} bits` : null;
}

function validateCertificate(certificate: X509Certificate | null, key: KeyObject | null): ValidationError {
  if (!certificate || !key) return "contains no X.509 certificate in PEM format";
  return certificate.checkPrivateKey(key) ? null : "contains a certificate of another key";
}

function toPkcs8(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function isTokenUri(text: string): boolean {
  return URL.canParse(text) && /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/])/.test(text);
}

function whatIsWrong({ issues: [issue] }: z.ZodError): string {
  const field = issue?.path[0];
  return field === undefined ? "is not a JSON object" : `has no valid "${String(field)}"`;
}
