import { z } from "zod";
import { lineSchema, linesSchema } from "#app/domain/line-schema.ts";

/** Printable ASCII that URLs consist of, without user name and password; what else a URL may contain is percent-encoded. */
const PICTURE = /^https:\/\/[a-z0-9.-]+(:\d+)?([/?][\x21-\x7e]*)?$/i;

/** URL of a user's picture: https, at most 2048 characters. It is shown to the user and goes out as the claim `picture`. */
export const pictureSchema = z
  .string()
  .max(2_048)
  .refine((text) => PICTURE.test(text) && URL.canParse(text), { message: "is not an https URL of a picture" });

const member = z.exactOptional(lineSchema(200));

/** A postal address with the members of the claim `address`, at least one of them. OpenID Connect Core 1.0 §5.1.1 */
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

/** The names of an address's members. */
export const ADDRESS_MEMBERS: readonly string[] = Object.keys(addressSchema.shape);
