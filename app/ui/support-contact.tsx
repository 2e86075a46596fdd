import type { ReactNode } from "react";
import { AddressText } from "./address-text.tsx";
import { contactUrl } from "./contact-url.ts";

/** A contact on a line of its own. `subject`: of a mail to an e-mail address. */
export function ContactLine({ text, subject }: { text: string; subject: string }): ReactNode {
  const url = contactUrl(text, subject);
  if (url === null) return <p>{text}</p>;
  return (
    <a className="line-link" href={url}>
      <span>
        <AddressText text={text} />
      </span>
    </a>
  );
}

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
