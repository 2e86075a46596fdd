import type { ReactNode } from "react";
import { SAVE, SAVE_NAME } from "#app/client/attributes.ts";

type SaveButtonProps = { text: string; fileName: string; children: ReactNode };

/** Saves a text as a file, without a request. Hidden until the client script reveals it. */
export function SaveButton({ text, fileName, children }: SaveButtonProps): ReactNode {
  return (
    <button className="button quiet" type="button" hidden {...{ [SAVE]: text, [SAVE_NAME]: fileName }}>
      {children}
    </button>
  );
}
