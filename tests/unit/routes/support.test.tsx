import { expect, test } from "vitest";
import { OAuthErrorPage } from "#app/routes/errors/error.tsx";
import { SettingsErrorPage } from "#app/routes/settings/error/error.tsx";
import { EVERY_STATE } from "./every-state.tsx";
import { render } from "./render.tsx";
import { APP_URL, serverError } from "./samples.tsx";
import { CONTACT } from "./samples-factor-reset.tsx";

const REFERENCE = "7f3k-92qd";
const OAUTH_ERROR = { state: { error: null, error_description: null }, isVerified: true };

const ERROR_PAGES = Object.entries({
  "page not found": serverError(404),
  "failed request": serverError(500),
  "busy server": serverError(503),
  "refused authorization request": <OAuthErrorPage {...OAUTH_ERROR} appUrl={APP_URL} reference={REFERENCE} />,
  settings: (
    <SettingsErrorPage
      isFramed={false}
      state={{ error: "error" }}
      isKnown
      appUrl={APP_URL}
      lostForm={null}
      reference={REFERENCE}
    />
  ),
});

const FAILURE =
  /^(challenge|sign-in failed|sign-out failed|sign-out, no challenge|consent failed|consent gone|factor, over|factor reset, failed|factor lost, (refused|too many|failed)|registration,)|failed$|link not valid$|nothing to stop$/;
const STATUS_PAGES = Object.entries(EVERY_STATE).filter(([name]) => FAILURE.test(name));

test.each([...ERROR_PAGES, ...STATUS_PAGES])(
  "%s: names whom to ask and the reference, which a button copies",
  (_name, screen) => {
    const page = render(screen, "de");
    expect(page.text).toContain(`Bitte wenden Sie sich an ${CONTACT} und nennen Sie diese Vorgangsnummer.`);
    expect(page.one("a", { href: `mailto:${CONTACT}` }).text).toBe(CONTACT);
    expect(page.one("code").text).toBe(REFERENCE);
    expect(page.one("copy-text").attributes).toMatchObject({ label: "Vorgangsnummer kopieren", text: REFERENCE });
  },
);
