/**
 * What an authenticator knows a user by: the bytes of the user's id, which is random, lasts as long as the user and says
 * nothing about the person. At most 64 bytes. https://www.w3.org/TR/webauthn-3/#user-handle
 */
export function userHandleOf(userId: string): Buffer {
  return Buffer.from(userId, "utf8");
}
