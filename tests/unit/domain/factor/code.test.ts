import { expect, it } from "vitest";
import { readCode } from "#app/domain/factor/code.ts";

const MALFORMED = { kind: "malformed" };

it.each(["123456", "123 456", " 123\u00a0456\t", "123-456", "123\u2013456", "１２３４５６", "１２３　４５６"])(
  "%j is the code 123456",
  (typed) => {
    expect(readCode(typed)).toEqual({ kind: "totp", code: "123456" });
  },
);

it.each(["ABCDE-01234", "abcde01234", "ABCDE OI2 34", "abcde–ol234", "ＡＢＣＤＥ－０１２３４"])(
  "%j is the recovery code ABCDE01234",
  (typed) => {
    expect(readCode(typed)).toEqual({ kind: "recovery", code: "ABCDE01234" });
  },
);

it("ten digits are a recovery code", () => {
  expect(readCode("01234 56789")).toEqual({ kind: "recovery", code: "0123456789" });
});

it.each([
  "",
  "   ",
  "12345",
  "1234567",
  "12345a",
  "+12345",
  "12.456",
  "ABCDE-0123",
  "ABCDE-012345",
  "UUUUU-UUUUU",
  "\0",
])("%j is malformed", (typed) => {
  expect(readCode(typed)).toEqual(MALFORMED);
});

it("a megabyte of text is malformed, and is not parsed", () => {
  expect(readCode(" ".repeat(1_000_000).concat("123456"))).toEqual(MALFORMED);
});
