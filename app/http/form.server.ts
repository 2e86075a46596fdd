import { parseWithZod } from "@conform-to/zod/v4";
import type { z } from "zod";
import { requireFormPost } from "./guards.server.ts";
import { refusal } from "./refusal.server.ts";

/** Result of reading a form: its parsed value, or errors by field ("" for the form as a whole). */
export type FormResult<Value> =
  | { ok: true; value: Value; values: Record<string, string> }
  | { ok: false; errors: Record<string, string[]>; values: Record<string, string> };

const MAX_FIELDS = 64;
const MAX_BODY_BYTES = 64 * 1024;

/**
 * Reads a posted form that may contain only these fields. `values` is for rendering the form again: the first value of
 * each field, without fields whose name contains "password".
 *
 * Throws a Response 405 for another method than POST, 415 for anything but a URL-encoded form, 413 for a body over 64
 * KiB, and 400 for an unknown field, more than 64 fields, a NUL, or invalid UTF-8.
 * @param ignored names of other fields that are allowed and ignored
 */
export async function readForm<S extends z.ZodType>(
  request: Request,
  schema: S,
  fields: readonly string[],
  ignored: RegExp | null = null,
): Promise<FormResult<z.output<S>>> {
  requireFormPost(request);
  requireFormType(request);
  const entries = parseStrictly(await readText(request));
  // conform builds objects from names such as a[99999999]: only known names may reach it.
  for (const name of [...entries.keys()]) {
    if (ignored?.test(name)) entries.delete(name);
    else if (!fields.includes(name)) throw refusal(400, "bad request");
  }
  const values = valuesToShow(entries);
  const submission = parseWithZod(entries, { schema });
  if (submission.status === "success") return { ok: true, value: submission.value, values };
  return { ok: false, errors: withoutEmpty(submission.error ?? {}), values };
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
function parseStrictly(text: string): URLSearchParams {
  const hasTooManyFields = text.split("&", MAX_FIELDS + 1).length > MAX_FIELDS;
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

function valuesToShow(entries: URLSearchParams): Record<string, string> {
  const shown = [...entries].filter(([name]) => !/password/i.test(name));
  return Object.fromEntries(shown.reverse());
}

function withoutEmpty(errors: Record<string, string[] | null>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(errors).map(([name, messages]) => [name, messages ?? []]));
}
