import type { ReactNode } from "react";
import { contactUrl } from "./contact-url.ts";

/** The support contact: an e-mail address or URL becomes a link, other text stays text. */
export function SupportContact({ text }: { text: string }): ReactNode {
  const url = contactUrl(text);
  return url === null ? text : <a href={url}>{text}</a>;
}
