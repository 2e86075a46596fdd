import type { ReactNode } from "react";

type EmphasisProps = {
  text: string;
  /** One of the sentence's values; it stays plain text, whatever it holds. */
  part: string;
  /** `b` for what people should notice, `code` for what they may have to spell. */
  as?: "b" | "code";
};

/** A translated sentence with one of its values set off. */
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
