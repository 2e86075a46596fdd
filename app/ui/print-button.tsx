import type { ReactNode } from "react";
import { PRINT } from "#app/client/attributes.ts";

/** Prints the page. Hidden until the client script reveals it. */
export function PrintButton({ children }: { children: ReactNode }): ReactNode {
  return (
    <button className="button quiet" type="button" hidden {...{ [PRINT]: "" }}>
      {children}
    </button>
  );
}
