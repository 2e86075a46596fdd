const MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const WEB = /^https?:\/\/\S+$/;

/** Returns the URL of a contact, an e-mail address or URL; null for other text. `subject`: of a mail. */
export function contactUrl(text: string, subject?: string): string | null {
  if (MAIL.test(text)) return `mailto:${text}${subject ? `?subject=${encodeURIComponent(subject)}` : ""}`;
  return WEB.test(text) ? text : null;
}
