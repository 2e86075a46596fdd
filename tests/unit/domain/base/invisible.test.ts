import { describe, expect, it } from "vitest";
import { lineSchema } from "#app/domain/base/line-schema.ts";
import { readCode } from "#app/domain/factor/code.ts";
import { newUserSchema } from "#app/domain/user/add.server.ts";

const INVISIBLE = [0x00ad, 0x200b, 0x200e, 0x200f, 0x2060, 0x2062, 0x2064, 0x2066, 0x2069, 0xfeff];

describe("invisible characters of pasted text", () => {
  it.each(INVISIBLE.map((code) => [code.toString(16), String.fromCodePoint(code)] as const))(
    "U+%s is removed from codes, e-mail addresses and display names",
    (_code, character) => {
      const within = (text: string) => character + [...text].join(character) + character;
      expect(readCode(within("123456"))).toEqual({ kind: "totp", code: "123456" });
      expect(readCode(within("ABCDE-FGHJK"))).toEqual({ kind: "recovery", code: "ABCDEFGHJK" });
      expect(newUserSchema.shape.email.parse(within("anna@office.example"))).toBe("anna@office.example");
      expect(lineSchema(200).parse(within("Anna Berg"))).toBe("Anna Berg");
    },
  );

  it("alone are no display name", () => {
    expect(lineSchema(200).safeParse("\u200b\u2060").success).toBe(false);
  });
});

describe("joiners in a display name", () => {
  it.each([
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u0d28\u0d4d\u200d\u0d2e",
    "👨\u200d👩\u200d👧",
    "👩🏽\u200d⚖\ufe0f Anna",
  ])("are allowed in a word and in an emoji: %s", (name) => {
    expect(lineSchema(200).parse(name)).toBe(name);
  });

  it.each(["Anna\u200d", "\u200cAnna", "Anna \u200dBerg", "A\u200d\u200dB", "1\u200d2", "A\u202eB"])(
    "are refused elsewhere, like other unprintable characters: %j",
    (name) => {
      expect(lineSchema(200).safeParse(name).success).toBe(false);
    },
  );
});
