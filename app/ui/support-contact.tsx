import type { ReactNode } from "react";

const MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const WEB = /^https?:\/\/\S+$/;

/** The support contact: an e-mail address or URL becomes a link, other text stays text. */
export function SupportContact({ text }: { text: string }): ReactNode {
  if (MAIL.test(text)) return <a href={`mailto:${text}`}>{text}</a>;
  return WEB.test(text) ? <a href={text}>{text}</a> : text;
}

/** The support contact on a line of its own; nothing if none is configured. */
export function SupportNote({ text }: { text: string | null }): ReactNode {
  if (text === null) return null;
  return (
    <p className="note">
      <SupportContact text={text} />
    </p>
  );
}
