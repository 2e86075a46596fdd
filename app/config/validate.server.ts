import { z } from "zod";

/** What is wrong with a value, as the rest of a sentence that starts with its key; null = nothing. */
export type ValidationError = string | null;

/** A text that passes when none of the judges finds fault; the first verdict counts. */
export function validated(...judges: ((text: string) => ValidationError)[]) {
  return z.string().check((ctx) => {
    const wrong = firstError(judges, ctx.value);
    if (wrong) {
      ctx.issues.push({ code: "custom", message: wrong, input: ctx.value, continue: false });
    }
  });
}

function firstError(judges: ((text: string) => ValidationError)[], text: string): ValidationError {
  for (const judge of judges) {
    const wrong = judge(text);
    if (wrong) {
      return wrong;
    }
  }
  return null;
}

/** A value inside a message: one line, short, and without what could be a password in a URL. Never for a secret. */
export function quote(text: string): string {
  const open = withoutCredentials(text);
  return JSON.stringify(open.length > 80 ? `${open.slice(0, 77)}...` : open);
}

/** The text with everything between `//` and `@` starred out. */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/.*@/s, "//***@");
}

/** The URL, or null for a text that is none. */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** One line of visible characters, at most `maxLength` of them (code points). */
export function oneLine(maxLength: number): (text: string) => ValidationError {
  return (text) => {
    if (/\p{Cc}/u.test(text)) {
      return "holds a control character or a line break";
    }
    if (text.trim() === "") {
      return "is blank";
    }
    const length = [...text].length;
    return length > maxLength ? `has ${length} characters` : null;
  };
}
