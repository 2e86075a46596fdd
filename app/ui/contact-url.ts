const MAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const WEB = /^https?:\/\/\S+$/;

/** Returns the URL of the support contact, an e-mail address or URL; null for other text. */
export function contactUrl(text: string): string | null {
  if (MAIL.test(text)) return `mailto:${text}`;
  return WEB.test(text) ? text : null;
}
