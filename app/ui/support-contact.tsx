import type { ReactNode } from "react";

const MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const WEB = /^https?:\/\/\S+$/;

/** Whom to ask for help: an e-mail address or a web address becomes a link, a sentence stays one. */
export function SupportContact({ text }: { text: string }): ReactNode {
  if (MAIL.test(text)) return <a href={`mailto:${text}`}>{text}</a>;
  return WEB.test(text) ? <a href={text}>{text}</a> : text;
}
