import { parseWithZod } from "@conform-to/zod/v4";
import type { z } from "zod";
import { type ErrorCode, isErrorCode } from "#app/domain/base/errors.ts";
import { LANGUAGE_PARAMETER } from "#app/i18n/detection.ts";
import { type FormResult, MALFORMED } from "./define-form.server.ts";
import { refusal } from "./refusal.server.ts";

/** Fields of forms that are parameters of their page, too. */
const PAGE_PARAMETER = /^((login|consent|logout)_challenge|method)$/;

/** By request with a form: its fields that are parameters of its page. */
const pageParameters = new WeakMap<Request, URLSearchParams>();

const MAX_FIELDS = 64;
const MAX_BODY_BYTES = 64 * 1024;

/**
 * A form as `defineForm` returns it. `ignored`: names of other fields that are allowed and not read. `maxFields`: of a form
 * with a field that repeats, such as ticked groups; 64 by default.
 */
type ReadableForm<Schema> = { schema: Schema; fieldNames: readonly string[]; ignored?: RegExp; maxFields?: number };

/**
 * Reads a posted form without rules of its own, such as one with hidden fields and a button. Throws like
 * `readSubmission`, and a Response 400 for a form that does not match the schema.
 */
export async function readForm<Schema extends z.ZodObject>(
  request: Request,
  form: ReadableForm<Schema>,
): Promise<z.output<Schema>> {
  const { submission } = await readSubmission(request, form);
  if (submission.status !== "success") throw refusal(400, "bad request");
  return submission.value;
}

/**
 * Reads a posted form whose errors are shown at its fields. `posted` returns the first value of a field as it was sent.
 * `reply` returns the result for the page, with the errors of the schema and further ones; it contains neither the
 * anti-forgery token nor codes nor fields whose name contains "password".
 *
 * Throws a Response 405 for another method than POST, 415 for anything but a URL-encoded form, 413 for a body over 64
 * KiB, and 400 for an unknown field, more than `maxFields` fields, a NUL, or invalid UTF-8.
 */
export async function readSubmission<Schema extends z.ZodObject>(request: Request, form: ReadableForm<Schema>) {
  requireFormPost(request);
  requireFormType(request);
  const entries = parseStrictly(await readText(request), form.maxFields);
  pageParameters.set(request, new URLSearchParams([...entries].filter(([name]) => PAGE_PARAMETER.test(name))));
  // conform builds objects from names such as a[99999999]: only known names may reach it.
  for (const name of [...entries.keys()]) {
    if (form.ignored?.test(name)) entries.delete(name);
    else if (!form.fieldNames.includes(name)) throw refusal(400, "bad request");
  }
  const submission = parseWithZod(entries, { schema: form.schema, formatError: toErrorCodes });
  const hideFields = form.fieldNames.filter((name) => /^(_xsrf|code)$|password/i.test(name));
  return {
    submission,
    posted: (name: keyof Schema["shape"] & string): string => entries.get(name) ?? "",
    reply: (errors: FormErrors = {}): FormResult => submission.reply({ ...errors, hideFields }),
  };
}

/**
 * Returns the URL that loads the page of a request again by GET: for a form that was read, with the parameters that it
 * contains, such as its challenge.
 */
export function pageUrlOf(request: Request): string {
  const url = new URL(request.url);
  for (const [name, value] of pageParameters.get(request) ?? []) url.searchParams.set(name, value);
  return `${url.pathname.replace(/\.data$/, "")}${url.search}`;
}

/** Errors that the action adds to those of the schema. */
export type FormErrors = { formErrors?: ErrorCode[]; fieldErrors?: Record<string, ErrorCode[]> };

/** The message of a rule is its error code. Any other message is zod's, for a value of another type. */
function toErrorCodes(issues: readonly { message: string }[]): ErrorCode[] {
  return issues.map(({ message }) => (isErrorCode(message) ? message : MALFORMED));
}

/** Throws a Response 405 for any method but POST. */
export function requireFormPost(request: Request): void {
  if (request.method !== "POST") throw refusal(405, "bad request", { Allow: "POST" });
}

/**
 * Returns true if a form was posted by the button that changes the language (`LanguageLinks`): the action shows the page
 * again with the typed user name, and does nothing else.
 */
export function isLanguageChange(request: Request): boolean {
  return new URL(request.url).searchParams.has(LANGUAGE_PARAMETER);
}

/** Throws a Response 405 unless `path` is requested: the page with the form has the same action, at another URL. */
export function requireFormUrl(request: Request, path: string): void {
  if (new URL(request.url).pathname !== path) throw refusal(405, "bad request", { Allow: "GET, HEAD" });
}

function requireFormType(request: Request): void {
  const [type, ...parameters] = (request.headers.get("content-type") ?? "").toLowerCase().split(";");
  const isForm = type?.trim() === "application/x-www-form-urlencoded";
  const isUtf8 = parameters.every((parameter) => /^\s*(charset="?utf-8"?)?\s*$/.test(parameter));
  if (!isForm || !isUtf8) throw refusal(415, "bad request");
}

/** Reads at most MAX_BODY_BYTES. The middleware checks only Content-Length. */
async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > MAX_BODY_BYTES) {
      await reader?.cancel();
      throw refusal(413, "bad request");
    }
    chunks.push(part.value);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw refusal(400, "bad request");
  }
}

/** Rejects malformed input, which URLSearchParams would repair. */
function parseStrictly(text: string, maxFields = MAX_FIELDS): URLSearchParams {
  const hasTooManyFields = text.split("&", maxFields + 1).length > maxFields;
  if (hasTooManyFields || (decode(text) ?? "\0").includes("\0")) throw refusal(400, "bad request");
  return new URLSearchParams(text);
}

/** Returns null for an invalid percent-encoding or invalid UTF-8. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
