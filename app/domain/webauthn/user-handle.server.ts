/**
 * Returns the user handle: the bytes of the user's id, which is random and contains no personal data. At most 64 bytes.
 * https://www.w3.org/TR/webauthn-3/#user-handle
 */
export function userHandleOf(userId: string): Buffer {
  return Buffer.from(userId, "utf8");
}
