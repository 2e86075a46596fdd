import type { ReactNode } from "react";

const MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const WEB = /^https?:\/\/\S+$/;

/** The support contact: an e-mail address or URL becomes a link, other text stays text. */
export function SupportContact({ text }: { text: string }): ReactNode {
  if (MAIL.test(text)) return <a href={`mailto:${text}`}>{text}</a>;
  return WEB.test(text) ? <a href={text}>{text}</a> : text;
}
