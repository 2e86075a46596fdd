import { expect, test } from "vitest";
import { getInstance } from "#app/i18n/instance.server.ts";
import { OAuthErrorPage } from "#app/routes/errors/error.tsx";
import { SettingsErrorPage } from "#app/routes/settings/error/error.tsx";
import { ServerErrorPage, serverErrorTitle } from "#app/ui/error-page.tsx";
import { render } from "./render.tsx";
import { APP_URL, serverError } from "./samples.tsx";

test.each([
  [404, "Page not found"],
  [500, "Internal server error"],
  [503, "Briefly unavailable"],
  [418, "An error occurred"],
])("a page with status %i has the heading: %s", (code, title) => {
  const page = render(serverError(code));
  expect(page.one("h1").text).toBe(title);
  expect(page.text).toContain(`Error code: ${code}`);
  expect(page.one("code").text).toBe("7f3k-92qd");
  expect(page.all("a", { href: APP_URL })).toHaveLength(1);
});

test("a temporary error offers a retry, a permanent one does not", () => {
  const state = { server_error: { code: 503, reference: "7f3k-92qd" } };
  const page = render(<ServerErrorPage state={state} appUrl={APP_URL} retryUrl="/login?login_challenge=1" />);
  expect(page.one("a", { href: "/login?login_challenge=1" }).text).toBe("Try again");
  const lasting = { server_error: { code: 404, reference: "7f3k-92qd" } };
  expect(render(<ServerErrorPage state={lasting} appUrl={APP_URL} retryUrl="/nowhere" />).text).not.toContain(
    "Try again",
  );
});

test("a form of another website has another text than an expired form", () => {
  const state = { server_error: { code: 403, reference: "7f3k-92qd" } };
  const foreign = render(<ServerErrorPage state={state} appUrl={APP_URL} isForeignOrigin />);
  expect(foreign.one("h1").text).toBe("This form was sent from another website");
  expect(render(serverError(403)).one("h1").text).toBe("This form is no longer valid");
});

test("the title names the error", () => {
  const { t } = getInstance("en", "Gatehouse");
  const state = { server_error: { code: 404, reference: "7f3k-92qd" } };
  expect(serverErrorTitle(t, state)).toBe("Error: Page not found | Gatehouse");
});

test("an application's error is quoted, as text only", () => {
  const state = { error: "<b>bold</b>", error_description: "<script>alert(1)</script>" };
  const page = render(<OAuthErrorPage state={state} isVerified={false} appUrl={APP_URL} reference="7f3k-92qd" />);
  expect(page.one("h2").text).toBe("Details (not verified)");
  expect(page.one("blockquote").text).toContain("<b>bold</b>");
  expect(page.all("q").map(({ text }) => text)).toEqual(["<b>bold</b>", "<script>alert(1)</script>"]);
  expect(page.all("script")).toEqual([]);
});

test("an application's error without details shows a note", () => {
  const state = { error: null, error_description: null };
  const page = render(<OAuthErrorPage state={state} isVerified={false} appUrl={APP_URL} reference="7f3k-92qd" />);
  expect(page.text).toContain("No details were supplied.");
});

test("an error of the engine is not marked as unverified, and a known code has its own text", () => {
  const state = { error: "invalid_client", error_description: "client is invalid" };
  const page = render(<OAuthErrorPage state={state} isVerified appUrl={APP_URL} reference="7f3k-92qd" />);
  expect(page.one("h2").text).toBe("Details for the provider");
  expect(page.all("blockquote")).toEqual([]);
  expect(page.one("main").text).toContain("The application is not registered here");
});

test.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
  "an application's error %s is an unknown code, although every object has a property of that name",
  (error) => {
    const shown = (code: string) => {
      const state = { error: code, error_description: null };
      return render(<OAuthErrorPage state={state} isVerified={false} appUrl={APP_URL} reference="7f3k-92qd" />).text;
    };
    expect(shown(error)).toBe(shown("unheard_of").replace("unheard_of", error));
  },
);

test("an error of the settings with an unknown code quotes the code, and only there", () => {
  const strange = render(
    <SettingsErrorPage
      isFramed={false}
      state={{ error: "Call 0190 55" }}
      isKnown={false}
      appUrl={APP_URL}
      lostForm={null}
      reference="7f3k-92qd"
    />,
  );
  expect(strange.one("h1").text).toBe("An error occurred.");
  expect(strange.one("blockquote").text).toBe("Call 0190 55");
  expect(strange.text.split("Call 0190 55")).toHaveLength(2);
  const known = render(
    <SettingsErrorPage
      isFramed={false}
      state={{ error: "totp not found" }}
      isKnown
      appUrl={APP_URL}
      lostForm={null}
      reference="7f3k-92qd"
    />,
  );
  expect(known.all("blockquote")).toEqual([]);
  expect(known.text).toContain("Error code: totp not found");
});
