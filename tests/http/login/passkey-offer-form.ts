import { followRedirects, open } from "#tests/http/oidc/browser-steps.ts";
import type { Browser, FormValues, HttpResponse } from "#tests/support/browser-jar.ts";
import { PASSKEY, type TestKey } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import { stateOf } from "./open-form.ts";

/** URL of the offer of a passkey. */
export const OFFER = "/login/passkey-offer";

/** Signs in with the password; `device` is what the script reports: "yes" if the device can keep a passkey. */
export async function signInOnDevice(
  browser: Browser,
  { url, user, device = "yes" }: { url: string; user: TestUser; device?: string },
): Promise<HttpResponse> {
  const page = await open(browser, url);
  const { login_challenge, xsrf_token } = stateOf(page);
  const { username, password } = user;
  const typed = { username, password, ...(device === "" ? {} : { passkey_device: device }) };
  const fields = { _xsrf: String(xsrf_token), login_challenge: String(login_challenge), ...typed };
  return followRedirects(browser, await browser.post("/login/native", fields));
}

/** Requests the options of the registration on the page of the offer, as the script does. */
export function requestOptions(browser: Browser, page: HttpResponse, xsrf?: string): Promise<HttpResponse> {
  const { login_challenge, xsrf_token } = stateOf(page);
  const headers = { "x-xsrf-token": xsrf ?? String(xsrf_token) };
  return browser.postJson(`${OFFER}/options`, { login_challenge }, { headers });
}

/** Creates the offered passkey; returns the fields of its form. */
export async function createOffered(browser: Browser, page: HttpResponse, { key, uv = true }: CreatedPasskey) {
  const started = JSON.parse((await requestOptions(browser, page)).body);
  const credentialJson = JSON.stringify(key.register(started, { ...PASSKEY, uv }));
  return { sessionId: String(started.sessionId), credentialJson };
}

type CreatedPasskey = { key: TestKey; uv?: boolean };

/** Posts the form of the offer. */
export function answerOffer(browser: Browser, page: HttpResponse, values: FormValues): Promise<HttpResponse> {
  const { login_challenge, xsrf_token } = stateOf(page);
  return browser.post(OFFER, { _xsrf: String(xsrf_token), login_challenge: String(login_challenge), ...values });
}
