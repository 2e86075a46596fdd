import { generateKeyPairSync } from "node:crypto";

/** The smallest valid environment. */
export const MINIMAL = {
  SECRET_KEYS: "0123456789abcdefghijklmnopqrstuv",
  APP_URL: "https://suite.example.com/",
  IMPRINT_URL: "https://www.example.com/imprint",
};

/** Generates a private key of the kind that Apple issues. */
export function drawApplePem(): string {
  return generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();
}
