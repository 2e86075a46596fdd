import { createPrivateKey, type KeyObject } from "node:crypto";

/** Reads an unencrypted private key in PEM; null if the text is none. */
export function readPrivateKey(pem: string): KeyObject | null {
  // Node also refuses a valid key if an earlier call of OpenSSL has left an error in the queue of the thread, and takes
  // that error out.
  return parse(pem) ?? parse(pem);
}

function parse(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    // The error may quote the text.
    return null;
  }
}
