import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import { creationOptions, requestOptions, type StartedRegistration } from "#app/domain/webauthn/options.ts";
import { passkeyOptions } from "#app/domain/webauthn/passkey-options.ts";
import { callFactorApi, formHeaders, readField, setField, submitWithToken } from "./factor-form.ts";
import { type ApiResult, type Body, postJson, readText, readTexts, toBody } from "./json-post.ts";

/** A WebAuthn ceremony: the server's options, the browser's dialog, the server's verification. */
export type Ceremony = {
  /** Requests the options of the browser's dialog. */
  begin(signal: AbortSignal): Promise<ApiResult>;
  /** Opens the browser's dialog; resolves to the credential. */
  openDialog(options: Body): Promise<unknown>;
  /** Sends the credential for verification. */
  finish(options: Body, credential: unknown, signal: AbortSignal): Promise<ApiResult>;
  /** Leaves the page after the key was accepted; returns false if the response does not confirm it. */
  leave(body: Body): boolean;
};

/** Verifies a registered security key in the second-factor step. */
export function verification(form: HTMLFormElement): Ceremony {
  return {
    begin: (signal) => callFactorApi(form, "/mfa/init-fido2", undefined, signal),
    openDialog: (options) =>
      startAuthentication({
        optionsJSON: requestOptions({
          relyingPartyId: readText(options, "relyingPartyId"),
          challenge: readText(options, "challenge"),
          allowedCredentialIds: readTexts(options, "allowedCredentialIds"),
          sessionId: readText(options, "sessionId"),
        }),
      }),
    finish: (_options, credential, signal) =>
      callFactorApi(form, "/mfa/verify-fido2", { ...Object(credential) }, signal),
    leave: (body) => submitWithToken(form, readText(body, "token")),
  };
}

/** Registers a first security key in the second-factor step. `productName`: shown in the browser's dialog. */
export function setUp(form: HTMLFormElement, productName: string): Ceremony {
  return {
    begin: (signal) => callFactorApi(form, "/mfa/init-fido2-registration", undefined, signal),
    openDialog: (options) => register(options, productName),
    finish: (options, credential, signal) =>
      callFactorApi(form, "/mfa/setup-fido2", registered(options, credential), signal),
    leave: (body) => submitWithToken(form, readText(body, "token")),
  };
}

/** Registers a security key in the settings. */
export function settingsRegistration(productName: string): Ceremony {
  return {
    begin: () => callSettings("mfa-init-fido2", undefined),
    openDialog: (options) => register(options, productName),
    finish: (options, credential) => callSettings("mfa-verify-fido2", registered(options, credential)),
    leave() {
      location.assign("/manage?status=mfa-success");
      return true;
    },
  };
}

/** Registers a passkey in the settings. */
export function passkeyRegistration(productName: string): Ceremony {
  return {
    begin: () => callSettings("mfa-init-passkey", undefined),
    openDialog: (options) => registerPasskey(options, productName),
    finish: (options, credential) => callSettings("mfa-verify-passkey", registered(options, credential)),
    leave() {
      location.assign("/manage?status=passkey-added");
      return true;
    },
  };
}

/** Registers a passkey on the page that offers it after a sign-in. The form posts the credential, as without a script. */
export function offeredPasskey(form: HTMLFormElement, productName: string): Ceremony {
  return {
    begin: (signal) => {
      const body = { login_challenge: readField(form, "login_challenge") };
      return postJson(`${form.action}/options`, { headers: formHeaders(form), body, signal });
    },
    openDialog: (options) => registerPasskey(options, productName),
    async finish(options, credential) {
      setField(form, "sessionId", readText(options, "sessionId"));
      setField(form, "credentialJson", JSON.stringify(credential));
      return { kind: "done", body: {} };
    },
    leave() {
      form.submit();
      return true;
    },
  };
}

function registerPasskey(options: Body, productName: string): Promise<unknown> {
  return startRegistration({ optionsJSON: passkeyOptions(toStarted(options), productName) });
}

function register(options: Body, productName: string): Promise<unknown> {
  return startRegistration({ optionsJSON: creationOptions(toStarted(options), productName) });
}

function toStarted(options: Body): StartedRegistration {
  const user = toBody(options["user"]);
  return {
    relyingPartyId: readText(options, "relyingPartyId"),
    userId: readText(options, "userId"),
    challenge: readText(options, "challenge"),
    existingCredentialIds: readTexts(options, "existingCredentialIds"),
    sessionId: readText(options, "sessionId"),
    user: {
      username: readText(user, "username"),
      displayName: readText(user, "displayName"),
      base64EncodedUserId: readText(user, "base64EncodedUserId"),
      icon: readText(user, "icon"),
    },
  };
}

/** Returns the body of the call that verifies a registration. The key gets a default name: the next page asks for one. */
function registered(options: Body, credential: unknown): object {
  return { sessionId: readText(options, "sessionId"), credentialJson: JSON.stringify(credential) };
}

const NEXT_TOKEN = "x-api-next-token";

/**
 * Calls the settings API with the `token` of the page's state as bearer token; every response replaces the token. Calls
 * are never aborted, because the next token would be lost with the response.
 */
function callSettings(path: string, body: object | undefined): Promise<ApiResult> {
  const state = readState();
  return postJson(`/api/v1/rpc/user/manage/${path}`, {
    headers: { Authorization: `Bearer ${state["token"]}` },
    body,
    onHeaders(headers) {
      const token = headers.get(NEXT_TOKEN);
      if (token !== null) writeState({ ...readState(), token });
    },
  });
}

function readState(): Record<string, unknown> {
  return JSON.parse(document.getElementById("root")?.dataset["state"] ?? "{}");
}

function writeState(state: object): void {
  const root = document.getElementById("root");
  if (root) root.dataset["state"] = JSON.stringify(state);
}
