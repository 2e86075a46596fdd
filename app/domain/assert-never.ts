/** The end of a switch over a union: a member that nobody handles is an error of the compiler. */
export function assertNever(_value: never): never {
  throw new Error("a case of a union is not handled");
}
