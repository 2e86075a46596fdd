/** Ends a switch over a union: an unhandled member is a compile error. */
export function assertNever(_value: never): never {
  throw new Error("a case of a union is not handled");
}
