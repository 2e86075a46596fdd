import type { ReactNode } from "react";

type EmphasisProps = {
  text: string;
  /** A value that the sentence contains; rendered as plain text. */
  part: string;
  /** `b` for emphasis, `code` for identifiers. */
  as?: "b" | "code";
};

/** A translated sentence with one of its values emphasised. */
export function Emphasis({ text, part, as: Element = "b" }: EmphasisProps): ReactNode {
  const start = part === "" ? -1 : text.lastIndexOf(part);
  if (start < 0) return text;
  return (
    <>
      {text.slice(0, start)}
      <Element>{part}</Element>
      {text.slice(start + part.length)}
    </>
  );
}
