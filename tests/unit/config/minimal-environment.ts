import { generateKeyPairSync } from "node:crypto";

/** The shortest environment that makes a configuration without a mistake. */
export const MINIMAL = {
  SECRET_KEYS: "0123456789abcdefghijklmnopqrstuv",
  APP_URL: "https://suite.example.com/",
  IMPRINT_URL: "https://www.example.com/imprint",
};

/** A private key of the kind that Apple hands out, drawn anew. */
export function drawApplePem(): string {
  return generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();
}
