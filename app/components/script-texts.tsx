import type { ReactNode } from "react";
import { TEXT } from "#app/enhance/attributes.ts";

/** What a page holds ready for the script, by name: sentences, or pieces of the page. Nobody sees it here. */
export function ScriptTexts({ texts }: { texts: Readonly<Record<string, ReactNode>> }): ReactNode {
  return Object.entries(texts).map(([name, text]) => (
    <template key={name} {...{ [TEXT]: name }}>
      {text}
    </template>
  ));
}
