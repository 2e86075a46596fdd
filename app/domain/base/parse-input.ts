import type { z } from "zod";
import { DomainError, type ErrorCode } from "./errors.ts";

/** Parses input. Throws DomainError with `code`; its detail and `fields` name the invalid fields, not their values. */
export function parseInput<S extends z.ZodType>(schema: S, input: z.input<S>, code: ErrorCode): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const detail = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "input"}: ${message}`).join("; ");
  const fields = new Set(parsed.error.issues.map(({ path: [field = "input"] }) => String(field)));
  throw new DomainError(code, { detail, fields: [...fields] });
}
