import type { SubmissionResult } from "@conform-to/react";
import { getZodConstraint } from "@conform-to/zod/v4";
import { z } from "zod";
import type { ErrorCode } from "#app/domain/base/errors.ts";

/** Result of a rejected form: the typed values, and error codes by field; "" is the form as a whole. */
export type FormResult = SubmissionResult<ErrorCode[]>;

/**
 * Defines a form by the zod types of its fields; the messages of their rules are error codes. Adds the anti-forgery
 * token. `constraint` contains the HTML attributes of the inputs, such as `required`, for `useForm`: pages get it as
 * data, because zod would be a fifth of their scripts.
 */
export function defineForm<Shape extends z.ZodRawShape>(fields: Shape) {
  const schema = z.object({ ...fields, _xsrf: text() });
  return { schema, fieldNames: Object.keys(schema.shape), constraint: { ...getZodConstraint(schema) } };
}

/** Adds rules for several fields to a form. */
export function withRules<Schema extends z.ZodObject, Rest>(
  form: Rest & { schema: Schema },
  addRules: (schema: Schema) => Schema,
) {
  return { ...form, schema: addRules(form.schema) };
}

/** The fields of a form, for `useForm`. */
export type FormFields<Form extends { schema: z.ZodObject }> = z.input<Form["schema"]>;

/** A field that may be empty or missing. */
export function text() {
  return z.string().default("");
}

/** A field that must not be empty. */
export function required(code: ErrorCode): z.ZodString {
  // A value of another type, such as a field that was posted twice, is malformed, not empty.
  return z.string({ error: ({ input }) => (input === undefined ? code : undefined) });
}

/** A field that must contain more than white space. */
export function notBlank(code: ErrorCode): z.ZodString {
  return required(code).refine((value) => value.trim() !== "", code);
}

type FormErrors = { error?: Readonly<Record<string, ErrorCode[] | null>> | null | undefined };

/** The code of a field whose value has another type, such as a field that was posted twice. */
export const MALFORMED = "Could not parse request" satisfies ErrorCode;

/**
 * Returns the error codes of a rejected form: those of the form as a whole, else MALFORMED, else those of its fields.
 */
export function errorCodes({ error }: FormErrors = {}): ErrorCode[] {
  const { "": formErrors, ...fieldErrors } = error ?? {};
  const codes = formErrors ?? Object.values(fieldErrors).flatMap((some) => some ?? []);
  return codes.includes(MALFORMED) ? [MALFORMED] : codes;
}

/** Returns the first code of `errorCodes`, for a page that shows one error. */
export function firstError(result: FormErrors | undefined): ErrorCode | undefined {
  return errorCodes(result)[0];
}
