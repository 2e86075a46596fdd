import { describe, expect, it, test } from "vitest";
import { canonicalAddress, isMailAddress, mailAddressSchema, spellingsOf } from "#app/mail-address.server.ts";

describe("a mail address", () => {
  it.each([
    ["Anna@Office.example", "Anna@Office.example", "anna@office.example"],
    ["a&b@office.example", "a&b@office.example", "a&b@office.example"],
    ["o'neill+x/y=z!#$%*?^_`{|}~-@office.example", null, null],
    ["max@müller-makler.example", "max@xn--mller-makler-dlb.example", "max@xn--mller-makler-dlb.example"],
    ["Max@MÜLLER-Makler.example", "Max@xn--mller-makler-dlb.example", "max@xn--mller-makler-dlb.example"],
    ["max@mu\u0308ller-makler.example", "max@xn--mller-makler-dlb.example", "max@xn--mller-makler-dlb.example"],
    ["max@XN--mller-makler-dlb.example", null, "max@xn--mller-makler-dlb.example"],
    ["anna@büro.xn--p1ai", "anna@xn--bro-hoa.xn--p1ai", "anna@xn--bro-hoa.xn--p1ai"],
    ["anna@straße.example", "anna@xn--strae-oqa.example", "anna@xn--strae-oqa.example"],
    ["Jörg@office.example", "Jörg@office.example", "jörg@office.example"],
    ["Jo\u0308rg@office.example", "Jörg@office.example", "jörg@office.example"],
    ["JÖRG@Büro.example", "JÖRG@xn--bro-hoa.example", "jörg@xn--bro-hoa.example"],
    ["νικος@office.example", null, "νικοσ@office.example"],
  ])("%j is accepted, stored as %j and compared as %j", (typed, stored, canonical) => {
    expect(mailAddressSchema.parse(typed)).toBe(stored ?? typed);
    expect(canonicalAddress(typed)).toBe(canonical ?? typed);
    expect(canonicalAddress(stored ?? typed)).toBe(canonical ?? typed);
    expect(isMailAddress(typed)).toBe(true);
  });

  it.each([
    ...["", "anna", "@office.example", "anna@", "anna@@office.example", "a b@office.example", "anna@office .example"],
    ...[".anna@office.example", "anna.@office.example", "an..na@office.example", '"anna"@office.example'],
    ...[
      "anna@office..example",
      "anna@.example",
      "anna@office.example.",
      "anna@-office.example",
      "anna@of_fice.example",
    ],
    ...[
      "anna@office.example/x",
      "anna@office.example:25",
      "anna@office%2eexample",
      "anna@office.example?x",
      "anna@1.2",
    ],
    ...["anna@xn--zzzzzzzz.example", "anna@xn--a.example", "anna@ä\u200f.example", "Anna <anna@office.example>"],
    ...["anna@office.example\n", "anna@office.example\r\nBcc: b@office.example", "an\0na@office.example"],
    ...["ﬁnn@office.example", "ａnna@office.example", "anna\ud800@office.example", "anna🙂@office.example"],
    ...[`${"a".repeat(250)}@office.example`, `anna@${"ä".repeat(60)}.example`],
  ])("%j is refused", (typed) => {
    expect(mailAddressSchema.safeParse(typed)).toMatchObject({
      error: { issues: [{ message: "is not a mail address" }] },
    });
  });

  it.each(["root@localhost", "root@192.168.1.2"])("of a user is not %j, of an administrator it may be", (typed) => {
    expect(mailAddressSchema.safeParse(typed).success).toBe(false);
    expect(isMailAddress(typed)).toBe(true);
  });
});

test("a text that is no address has no canonical form; full-width letters are those of the keyboard", () => {
  for (const text of ["", "anna", "anna@", "an na@office.example", "a".repeat(300)])
    expect(canonicalAddress(text)).toBeNull();
  expect(canonicalAddress("ａｎｎａ＠office.example")).toBe("anna@office.example");
});

test("a domain with umlauts has two spellings, any other has one", () => {
  expect(spellingsOf("max@xn--mller-kva.example")).toEqual(["max@xn--mller-kva.example", "max@müller.example"]);
  expect(spellingsOf("max@office.example")).toEqual(["max@office.example"]);
});
