import { describe, expect, test, vi } from "vitest";
import { USERNAME_LIMIT } from "#app/domain/account/change-username.server.ts";
import { DomainError } from "#app/domain/base/errors.ts";
import { stateOf } from "#tests/http/login/open-form.ts";
import { NEW_PASSWORD } from "#tests/http/password-reset/steps.ts";
import { eachTest } from "#tests/support/each-test.ts";
import { serverOfFile } from "#tests/support/server.ts";
import { fill, PASSWORD, refusalIn, statusAndTarget, TWO_STEP, USERNAME, visit } from "./pages.ts";
import { createSettingsClient } from "./steps.ts";

const server = await serverOfFile({ passwordChecks: "every" });
const settingsClient = await createSettingsClient(server);

const at = eachTest(async () => {
  const anna = await server.users.create();
  const visitor = await visit(server, settingsClient, anna);
  return { anna, visitor };
});

const typed = (changes: Record<string, string> = {}) => ({
  password: at.anna.password,
  newPassword: NEW_PASSWORD,
  newPasswordRepeat: NEW_PASSWORD,
  ...changes,
});

describe("the password", () => {
  // Proves requirement 62.
  test("is another one from now on; this browser stays, the others are out", async () => {
    const other = await visit(server, settingsClient, at.anna);
    expect(statusAndTarget(await at.visitor.send(PASSWORD, typed()))).toEqual([303, "/manage?status=password-success"]);
    expect((await at.visitor.open(TWO_STEP)).status).toBe(200);
    expect(statusAndTarget(await other.open(TWO_STEP))).toEqual([303, "/manage/error/unauthorized"]);
    const again = { ...at.anna, password: NEW_PASSWORD };
    expect((await settingsClient.openSettings(server.browser(), again)).status).toBe(200);
  });

  // Proves requirement 62.
  test("keeps the other sessions if the box is cleared", async () => {
    const other = await visit(server, settingsClient, at.anna);
    const page = await at.visitor.open(PASSWORD);
    expect(page.page().one("input", { name: "endOthers" }).attributes).toHaveProperty("checked");
    const _xsrf = String(stateOf(page).xsrf_token);
    expect((await at.visitor.browser.post(PASSWORD, { _xsrf, ...typed() })).status).toBe(303);
    expect((await other.open(TWO_STEP)).status).toBe(200);
  });

  // Proves requirement 8.
  test.each([
    [{ password: "" }, "No password given", "No password given"],
    [{ password: "Not-My-Password-1" }, "Current password invalid", "Current password invalid"],
    [{ newPassword: "" }, "empty-password", "No new password given"],
    [{ newPasswordRepeat: "" }, "empty-password-repeat", "No repeat new password given"],
    [{ newPasswordRepeat: "Other-Kettle-93-Lamp" }, "passwords-not-equal", "Password and repetition not equal"],
    [{ newPassword: "short", newPasswordRepeat: "short" }, "password-strength", "Password not strong enough"],
    [
      { newPassword: "Passwordpassword1", newPasswordRepeat: "Passwordpassword1" },
      "password-common",
      "Your password has not been changed",
    ],
  ])("%j is refused: %s", async (changes, error, words) => {
    const { passwordHash } = await at.visitor.stored();
    const response = await at.visitor.send(PASSWORD, typed(changes));
    expect(refusalIn(response)).toMatchObject({ status: 400, error, title: expect.stringMatching(/^Error: /) });
    expect(refusalIn(response).words).toContain(words);
    for (const secret of Object.values(typed(changes)).filter((value) => value !== "")) {
      expect(response.body).not.toContain(`value="${secret}"`);
    }
    expect((await at.visitor.stored()).passwordHash).toBe(passwordHash);
  });

  test("that stays the same is refused", async () => {
    const same = { newPassword: at.anna.password, newPasswordRepeat: at.anna.password };
    const response = await at.visitor.send(PASSWORD, typed(same));
    expect(refusalIn(response)).toMatchObject({ status: 400, error: "password-unchanged" });
  });

  test("in a form that cannot be read is refused in the words of the specification", async () => {
    const _xsrf = String(stateOf(await at.visitor.open(PASSWORD)).xsrf_token);
    const twice = [NEW_PASSWORD, NEW_PASSWORD];
    const response = await at.visitor.browser.post(PASSWORD, { _xsrf, ...typed(), newPassword: twice });
    expect(refusalIn(response)).toMatchObject({ status: 400, error: "Could not parse request" });
    expect(refusalIn(response).words).toContain("Could not parse request");
  });

  test("responds with Retry-After when the hash queue is full", async () => {
    vi.spyOn(server.context.hasher, "verify").mockRejectedValueOnce(new DomainError("overloaded"));
    const response = await at.visitor.send(PASSWORD, typed());
    expect(refusalIn(response)).toMatchObject({ status: 503, error: "overloaded" });
    expect(response.headers["retry-after"]).toBe("5");
  });

  test("is changed once by a form that is sent twice at once, and the settings stay open", async () => {
    const page = await at.visitor.open(PASSWORD);
    const { generation } = await at.visitor.stored();
    const responses = await Promise.all([1, 2].map(() => fill(at.visitor.browser, page, PASSWORD, typed())));
    expect(responses.filter(({ location }) => location?.endsWith("password-success"))).toHaveLength(1);
    expect(responses.filter(({ location }) => location?.includes("unauthorized"))).toEqual([]);
    expect((await at.visitor.stored()).generation).toBe(generation + 1);
    expect((await at.visitor.open(TWO_STEP)).status).toBe(200);
  });
});

describe("the texts that the specification quotes are on the pages of the settings", () => {
  test.each([
    [{ password: "" }, "No password given"],
    [{ password: "Not-My-Password-1" }, "Current password invalid"],
    [{ newPassword: "" }, "No new password given"],
    [{ newPasswordRepeat: "" }, "No repeat new password given"],
    [{ newPasswordRepeat: "Other-Kettle-93-Lamp" }, "Password and repetition not equal"],
    [{ newPassword: "short", newPasswordRepeat: "short" }, "Password not strong enough"],
  ])("section 5: the password %j", async (changes, quote) => {
    expect((await at.visitor.send(PASSWORD, typed(changes))).page().one("main").text).toContain(quote);
  });

  test("section 5: the user name", async () => {
    const ben = await server.users.create();
    const mainText = async (username: string) => {
      const response = await at.visitor.send(USERNAME, { username });
      return response.page().one("main").text.toLowerCase();
    };
    expect(await mainText("")).toContain("username is empty");
    expect(await mainText("")).toContain("please provide a username");
    expect(await mainText("anna berg")).toContain("username is invalid");
    expect(await mainText(ben.username)).toContain("username not available");
  });

  test.each([
    ["/manage?oauth-error=provider+failed", "failed to connect to provider"],
    ["/manage", "account security"],
  ])("section 4: %s", async (path, quote) => {
    expect((await at.visitor.open(path)).page().one("main").text.toLowerCase()).toContain(quote);
  });

  test.each([
    ["some_code", "Ein Fehler ist aufgetreten"],
    ["page_not_found", "Die Seite wurde nicht gefunden."],
    ["unauthorized", "Authentifizierung fehlgeschlagen."],
  ])("section 8: the German text of %s", async (code, quote) => {
    const page = await server.browser("de").get(`/manage/error/${code}`);
    expect(page.page().one("main").text).toContain(quote);
  });
});

describe("the user name", () => {
  test("is changed, and the page shows the new one", async () => {
    const response = await at.visitor.send(USERNAME, { username: ` ${at.anna.username}.Berg ` });
    expect(statusAndTarget(response)).toEqual([303, "/manage?status=username-success"]);
    expect((await at.visitor.stored()).username).toBe(`${at.anna.username}.Berg`);
    expect(stateOf(await at.visitor.open(USERNAME))).toMatchObject({ username: `${at.anna.username}.Berg` });
  });

  test.each([
    ["", "username is empty", "Username is empty"],
    ["anna berg", "username is invalid", "Username is invalid"],
    ["<script>", "username is invalid", "Username is invalid"],
  ])("“%s” is refused, and stays in the field", async (username, error, words) => {
    const response = await at.visitor.send(USERNAME, { username });
    expect(refusalIn(response)).toMatchObject({ status: 400, error });
    expect(refusalIn(response).words).toContain(words);
    expect(response.page().one("input", { name: "username" }).attributes.value ?? "").toBe(username);
    expect((await at.visitor.stored()).username).toBe(at.anna.username);
  });

  test("of another user is not available, in any spelling; five attempts an hour are allowed", async () => {
    const ben = await server.users.create();
    for (let count = 0; count < USERNAME_LIMIT.points; count += 1) {
      const response = await at.visitor.send(USERNAME, { username: ben.username.toUpperCase() });
      expect(refusalIn(response)).toMatchObject({ status: 400, error: "username not available" });
    }
    const response = await at.visitor.send(USERNAME, { username: ben.username });
    expect(refusalIn(response)).toMatchObject({ status: 429, error: "throttled" });
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
  });
});
