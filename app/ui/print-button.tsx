import type { ReactNode } from "react";
import { PRINT } from "#app/client/attributes.ts";

/** Prints the page. Hidden until the script reveals it: browsers can print without us. */
export function PrintButton({ children }: { children: ReactNode }): ReactNode {
  return (
    <button className="button quiet" type="button" hidden {...{ [PRINT]: "" }}>
      {children}
    </button>
  );
}
