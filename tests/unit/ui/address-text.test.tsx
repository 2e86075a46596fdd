import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { AddressText } from "#app/ui/address-text.tsx";

test.each([
  ["anna.berger@office.example", "anna.<wbr/>berger@<wbr/>office.<wbr/>example"],
  ["https://help.office.example/it", "https://<wbr/>help.<wbr/>office.<wbr/>example/<wbr/>it"],
  ["Anna Berger", "Anna Berger"],
  ["a<b@c.", "a&lt;b@<wbr/>c."],
])("%s may break after @, dots and slashes, and stays one text", (text, markup) => {
  expect(renderToStaticMarkup(<AddressText text={text} />)).toBe(markup);
});
