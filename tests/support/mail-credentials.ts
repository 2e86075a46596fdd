import { createHash, generateKeyPairSync } from "node:crypto";
import { certificate } from "./attestation-certificate.ts";

/** Days of the certificates of attestation-certificate.ts. */
export const CERTIFICATE_ENDS_AT = new Date("2049-12-31T23:59:59Z");

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const issuer = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** The RSA key of all credentials below. */
export const CLIENT_PUBLIC_KEY = publicKey;

const keyPem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const der = certificate({ name: "gatehouse", issuer: "gatehouse", publicKey, issuerKey: issuer.privateKey });

/** SHA-256 of the certificate, base64url. */
export const CERTIFICATE_THUMBPRINT = createHash("sha256").update(der).digest("base64url");

/** Returns a value of MAIL_OAUTH_CERTIFICATE: the certificate, then its key. */
export function drawClientCertificate(key = keyPem): string {
  return `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n${key}`;
}

/** Returns a value of MAIL_OAUTH_SERVICE_ACCOUNT. */
export function drawServiceAccount(tokenUri = "https://oauth2.googleapis.com/token"): string {
  return JSON.stringify({
    type: "service_account",
    project_id: "project",
    private_key_id: "key-1",
    private_key: keyPem,
    client_email: "gatehouse@project.iam.gserviceaccount.com",
    client_id: "1234567890",
    token_uri: tokenUri,
  });
}
