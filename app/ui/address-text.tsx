import { Fragment, type ReactNode } from "react";

/** A mail address or URL that may break after "@", "." and "/", but not within a word unless it is too long. */
export function AddressText({ text }: { text: string }): ReactNode {
  return text.split(/(?<=[@./])(?=[^./])/).map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order.
    <Fragment key={place}>
      {place === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));
}
