import { z } from "zod";
import { lineSchema } from "#app/domain/base/line-schema.ts";
import { text } from "#app/http/define-form.server.ts";

/** The reason of a block: one line of at most 120 characters; null if it is blank. */
export const reasonSchema = text().pipe(
  z.union([
    z
      .string()
      .regex(/^\s*$/)
      .transform(() => null),
    lineSchema(120),
  ]),
);
