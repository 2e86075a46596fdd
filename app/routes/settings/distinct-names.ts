/** Returns the accessible names of the actions of a list. Equal ones get a number after the first: "Desk", "Desk (2)". */
export function distinctNames(names: readonly string[]): string[] {
  return names.map((name, index) => {
    const before = names.slice(0, index).filter((other) => other === name).length;
    return before === 0 ? name : `${name} (${before + 1})`;
  });
}
