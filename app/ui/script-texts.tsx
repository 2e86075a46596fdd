import type { ReactNode } from "react";
import { TEXT } from "#app/client/attributes.ts";

/**
 * What a page holds ready for the script, by name. Nobody sees it here. A browser keeps what it reads of a template apart
 * from the page, where React looks for it in vain when a page hydrates: it is told not to mind.
 */
export function ScriptTexts({ texts }: { texts: Readonly<Record<string, string>> }): ReactNode {
  return Object.entries(texts).map(([name, text]) => (
    <template key={name} suppressHydrationWarning {...{ [TEXT]: name }}>
      {text}
    </template>
  ));
}
