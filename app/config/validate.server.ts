import { z } from "zod";

/** Describes an invalid value, as the rest of a sentence that starts with its key; null if it is valid. */
export type ValidationError = string | null;

/** Creates a schema that reports the first error of these validations. */
export function validated(...validators: ((text: string) => ValidationError)[]) {
  return z.string().check((ctx) => {
    const wrong = firstError(validators, ctx.value);
    if (wrong) ctx.issues.push({ code: "custom", message: wrong, input: ctx.value, continue: false });
  });
}

function firstError(validators: ((text: string) => ValidationError)[], text: string): ValidationError {
  for (const validate of validators) {
    const wrong = validate(text);
    if (wrong) return wrong;
  }
  return null;
}

/** Quotes a value for a message: one line, shortened, without the credentials of a URL. Not for secrets. */
export function quote(text: string): string {
  const open = withoutCredentials(text);
  return JSON.stringify(open.length > 80 ? `${open.slice(0, 77)}...` : open);
}

/** Replaces everything between `//` and `@` by asterisks. */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/.*@/s, "//***@");
}

/** Parses a URL; returns null if the text is not one. */
export function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** Returns true if every `%` of the text is part of a character in UTF-8 (RFC 3986 §2.5). */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Refuses white space around a value, which some programs keep at the end of a line, such as docker of an env_file. */
export function validateWhiteSpace(text: string): ValidationError {
  return text === text.trim() ? null : "starts or ends with white space";
}

/** Validates one line of visible characters, at most `maxLength` of them (code points). */
export function oneLine(maxLength: number): (text: string) => ValidationError {
  return (text) => {
    if (/\p{Cc}/u.test(text)) return "contains a control character or a line break";
    if (text.trim() === "") return "is blank";
    const length = [...text].length;
    return length > maxLength ? `has ${length} characters` : null;
  };
}
