import { lineSchema } from "#app/domain/base/line-schema.ts";

/** Name of a group, in Unicode's composed form (NFC): another spelling of the same letters is the same name. */
export const groupNameSchema = lineSchema(100).overwrite(composed);

/** Line that describes a group to administrators. */
export const groupDescriptionSchema = lineSchema(300);

/** Whom members ask for access: an e-mail address, a URL or a short sentence, as SUPPORT_CONTACT. */
export const groupContactSchema = lineSchema(200);

/** Returns the text in Unicode's composed form (NFC). */
export function composed(text: string): string {
  return text.normalize("NFC");
}
