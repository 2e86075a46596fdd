import { describe, expect, it } from "vitest";
import { checkNewPassword } from "#app/domain/password/check-new.server.ts";

const config = { productName: "Gatehouse" };
const user = { username: "a.berger", displayName: "Anna-Lena Groß", email: "buero.nord@broker.example" };

const check = (password: string, repeat: string | null = password) =>
  checkNewPassword({ config }, { password, repeat, user });

describe("a new password", () => {
  it("that meets all rules is accepted as typed", async () => {
    const decomposed = "Leuchtturm am Ko\u0308nigskai 7";
    expect(await check(decomposed)).toEqual({ kind: "ok", password: decomposed });
    expect(await check(decomposed, decomposed.normalize("NFC"))).toEqual({ kind: "ok", password: decomposed });
    expect(await check("Leuchtturm-am-Kai-7", null)).toMatchObject({ kind: "ok" });
  });

  it.each([
    ["", "", "empty-password"],
    ["", "Leuchtturm-am-Kai-7", "empty-password"],
    ["Leuchtturm-am-Kai-7", "", "empty-password-repeat"],
    ["Leuchtturm-am-Kai-7", "Leuchtturm-am-Kai-7 ", "passwords-not-equal"],
    ["Leuchtturm-am-Kai-7", "leuchtturm-am-kai-7", "passwords-not-equal"],
    ["short", "short", "password-strength"],
  ] as const)("%j, repeated as %j, is refused: %s", async (password, repeat, code) => {
    expect(await check(password, repeat)).toMatchObject({ kind: "refused", code });
  });

  // Proves requirement 1.
  it("that is too weak is returned with every rule, met or not", async () => {
    expect(await check("Leuchtturm")).toEqual({
      kind: "refused",
      code: "password-strength",
      rules: [
        { rule: "length", met: false },
        { rule: "lower", met: true },
        { rule: "upper", met: true },
        { rule: "digit", met: false },
        { rule: "equal", met: true },
      ],
      containsName: false,
    });
  });

  // Proves requirement 2.
  it("of 256 code points is accepted, and of 257 refused", async () => {
    const fill = (count: number) => `Kai 7 ${"am Leuchtturm ".repeat(20)}`.slice(0, count);
    expect(await check(fill(256))).toMatchObject({ kind: "ok" });
    expect(await check(fill(257))).toMatchObject({ code: "password-strength" });
  });
});

// Proves requirement 6.
it("a common password is refused, and distinguished from one with a name in it", async () => {
  expect(await check("Password2026!")).toMatchObject({ code: "password-common", containsName: false });
});

describe("a password with a name in it", () => {
  it.each([
    ["the user name", "My-A.Berger-2026"],
    ["the user name, written together", "ABERGER-leuchtet-7"],
    ["a part of the display name", "Leuchtturm-LENA-7"],
    ["a part of the display name, in another spelling", "Leuchtturm-GROSS-7"],
    ["the e-mail address before its @", "Leuchtturm-BueroNord-7"],
    ["the product", "My-GateHouse-Key-7"],
    ["the product, in wide letters", "My-Ｇａｔｅｈｏｕｓｅ-7"],
  ])("%s: %s is refused, with the reason", async (_name, password) => {
    expect(await check(password)).toMatchObject({ kind: "refused", code: "password-common", containsName: true });
  });

  it("is accepted if the name is so short that it occurs in many words", async () => {
    const passwordUser = { username: "le", displayName: "Bo Kai", email: "am@broker.example" };
    const password = "Leuchtturm-am-Kai-7";
    const result = await checkNewPassword({ config }, { password, repeat: null, user: passwordUser });
    expect(result).toMatchObject({ kind: "ok" });
  });
});
