import type { ReactNode } from "react";
import { AddressText } from "./address-text.tsx";
import { contactUrl } from "./contact-url.ts";

/** The support contact: an e-mail address or URL becomes a link, other text stays text. */
export function SupportContact({ text }: { text: string }): ReactNode {
  const url = contactUrl(text);
  if (url === null) return text;
  return (
    <a href={url}>
      <AddressText text={text} />
    </a>
  );
}
