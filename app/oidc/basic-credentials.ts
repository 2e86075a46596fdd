const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Returns client id and secret of an `Authorization` header; null if malformed. They are form-encoded before they are
 * joined (RFC 6749 §2.3.1).
 */
export function fromHeader(authorization: string): { id: string; secret: string } | null {
  const [, encoded] = BASIC.exec(authorization) ?? [];
  const [id = "", ...rest] = Buffer.from(encoded ?? "", "base64")
    .toString("utf8")
    .split(":");
  const [clientId, secret] = [id, rest.join(":")].map(decode);
  return clientId && secret ? { id: clientId, secret } : null;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    return null;
  }
}
