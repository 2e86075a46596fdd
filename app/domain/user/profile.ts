import { z } from "zod";
import { lineSchema, linesSchema } from "#app/domain/base/line-schema.ts";

/** URL characters without user name and password. Others must be percent-encoded. */
const PICTURE = /^https:\/\/[a-z0-9.-]+(:\d+)?([/?][\x21-\x7e]*)?$/i;

/** URL of a user's picture: https, at most 2048 characters. Released as the claim `picture`. */
export const pictureSchema = z
  .string()
  .max(2_048)
  .refine((text) => PICTURE.test(text) && URL.canParse(text), { message: "is not an https URL of a picture" });

const member = z.exactOptional(lineSchema(200));

/** Postal address with at least one member of the claim `address` (OpenID Connect Core 1.0 §5.1.1). */
export const addressSchema = z
  .strictObject({
    formatted: z.exactOptional(linesSchema(1_000)),
    street_address: z.exactOptional(linesSchema(500)),
    locality: member,
    region: member,
    postal_code: member,
    country: member,
  })
  .refine((address) => Object.keys(address).length > 0, { message: "has no member" });

/**
 * A language tag (BCP 47) whose language and region exist, such as `de` or `en-GB`. Other words that have the form of a
 * tag, such as "german", are refused: applications receive it as the claim `locale`.
 */
export const localeSchema = z.string().max(35).refine(isLocale, {
  message: "is not a language tag, such as de or en-GB",
});

function isLocale(tag: string): boolean {
  try {
    const { language, region } = new Intl.Locale(tag);
    return isNamed("language", language) && (region === undefined || isNamed("region", region));
  } catch {
    return false;
  }
}

/** Returns true if Unicode has an English name for the code. */
function isNamed(type: "language" | "region", code: string): boolean {
  return new Intl.DisplayNames("en", { type, fallback: "none" }).of(code) !== undefined;
}

/** Member names of an address. */
export const ADDRESS_MEMBERS: readonly string[] = Object.keys(addressSchema.shape);
