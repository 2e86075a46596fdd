import { readText } from "./source-tree.ts";

/** A fenced block of a manual. */
export type ManualBlock = {
  /** File and section, with a number from the second block of the section on: "docs/operations.md: Install (2)". */
  id: string;
  /** The language of the fence, such as sh. */
  language: string;
  /** The text, without the indentation of its list. */
  text: string;
};

/** Returns all fenced blocks of a manual, in order. */
export function readManualBlocks(file: string): ManualBlock[] {
  const sections = readText(file).split(/^(?=##+ )/m);
  return sections.flatMap((section) => {
    const [, title = ""] = /^#+ (.+)\n/.exec(section) ?? [];
    const fences = [...section.matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm)];
    return fences.map(([, indent = "", language = "", text = ""], index) => ({
      id: `${file}: ${title}${index === 0 ? "" : ` (${index + 1})`}`,
      language,
      text: text.replace(new RegExp(`^${indent}`, "gm"), ""),
    }));
  });
}

/** Returns the text of a block. Throws if the manual has no such block. */
export function manualBlock(id: string): string {
  const [file = ""] = id.split(": ", 1);
  const block = readManualBlocks(file).find((one) => one.id === id);
  if (block === undefined) throw new Error(`There is no block ${id}`);
  return block.text;
}
