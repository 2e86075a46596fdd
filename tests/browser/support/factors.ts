import type { FactorInput } from "#app/domain/pending-sign-in/attempts.server.ts";
import { browserCookie } from "#app/http/cookies.server.ts";
import type { TestApp } from "#tests/support/factors.ts";
import { readPage } from "#tests/support/html.ts";
import type { BrowserUser, Installation } from "./installation.ts";
import type { Credentials } from "./pages.ts";

type Protocol = { protocol: "u2f" | "ctap2"; ctap2Version?: "ctap2_0" | "ctap2_1" };

/** Protocols of security keys. */
export const PROTOCOLS = [
  { kind: "of today (CTAP 2)", options: { protocol: "ctap2" } },
  { kind: "of the first generation (U2F)", options: { protocol: "u2f" } },
  { kind: "of tomorrow (CTAP 2.1)", options: { protocol: "ctap2", ctap2Version: "ctap2_1" } },
] as const satisfies readonly { kind: string; options: Protocol }[];

/** A virtual security key without PIN, fingerprint or stored credentials. */
export type VirtualKey = {
  /** Sets whether the key confirms user presence automatically. */
  setTouched(isTouched: boolean): Promise<void>;
  /** Returns the key pairs of the key, for a copy. Chromium does not always return the relying party of a key pair. */
  read(): Promise<(Omit<Secret, "rpId"> & Partial<Secret>)[]>;
  write(secret: Secret): Promise<void>;
  pullOut(): Promise<void>;
};

type Secret = { credentialId: string; rpId: string; privateKey: string; signCount: number };

type KeyOptions = { options?: Protocol; isTouched?: boolean };

/** Adds a virtual security key to the open page of this browser. */
export async function plugIn(
  { context, page }: Pick<BrowserUser, "context" | "page">,
  { options = { protocol: "ctap2" }, isTouched = true }: KeyOptions = {},
): Promise<VirtualKey> {
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...options,
      transport: "usb",
      hasResidentKey: false,
      hasUserVerification: false,
      automaticPresenceSimulation: isTouched,
    },
  });
  return {
    async setTouched(enabled) {
      await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    },
    async read() {
      const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId });
      return credentials;
    },
    async write(secret) {
      const credential = { ...secret, isResidentCredential: false };
      await session.send("WebAuthn.addCredential", { authenticatorId, credential });
    },
    async pullOut() {
      await session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    },
  };
}

/** A virtual device that keeps passkeys and verifies its user. */
export type VirtualPasskeys = {
  /** Returns the credentials on the device. */
  read(): Promise<{ credentialId: string; isResidentCredential: boolean }[]>;
  pullOut(): Promise<void>;
};

/** Adds a virtual platform authenticator, which verifies its user at once, to the open page of this browser. */
export async function plugInPasskeys({
  context,
  page,
}: Pick<BrowserUser, "context" | "page">): Promise<VirtualPasskeys> {
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    async read() {
      const { credentials } = await session.send("WebAuthn.getCredentials", { authenticatorId });
      return credentials;
    },
    async pullOut() {
      await session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    },
  };
}

/** Lets the browser's first dialog for a security key time out at once, as if the user had cancelled it. */
export async function cancelFirstDialog({ page }: Pick<BrowserUser, "page">): Promise<void> {
  await page.addInitScript((timeout) => {
    const { credentials } = navigator;
    const create = credentials.create.bind(credentials);
    const get = credentials.get.bind(credentials);
    credentials.create = (options) => {
      credentials.create = create;
      return create({ ...options, ...(options?.publicKey ? { publicKey: { ...options.publicKey, timeout } } : {}) });
    };
    credentials.get = (options) => {
      credentials.get = get;
      return get({ ...options, ...(options?.publicKey ? { publicKey: { ...options.publicKey, timeout } } : {}) });
    };
  }, 300);
}

/** Fields, buttons and links of the second step, located as a user finds them. */
export function stepPage({ page, t }: Pick<BrowserUser, "page" | "t">) {
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  const code = page.getByLabel(t("field.code.label"), { exact: true });
  const recoveryCode = page.getByLabel(t("recovery.code.label"), { exact: true });
  const confirm = button(t("mfaLogin.totp.submit"));
  return {
    code,
    recoveryCode,
    confirm,
    choose: { totp: link(t("mfaLogin.choose.totp")), key: link(t("mfaLogin.choose.fido2")) },
    useKey: link(t("mfaLogin.fido2.start")),
    lost: link(t("recovery.use")),
    cancel: button(t("mfaLogin.abort")),
    setUp: {
      totp: page.getByRole("button", { name: t("mfaLogin.setup.totp") }),
      key: page.getByRole("button", { name: t("mfaLogin.setup.fido2") }),
    },
    key: {
      start: button(t("mfaLogin.fido2.start")),
      retry: button(t("common.retry")),
      /** Waiting, cancelled or checking. */
      status: page.locator(".key-status"),
      /** The part of the panel that asks for the key and shows the seconds left. */
      prompt: page.locator(".key-prompt"),
      name: page.getByLabel(t("manageKey.name.label"), { exact: true }),
      saveName: button(t("manageFido2.naming.submit")),
    },
    recovery: {
      make: button(t("recovery.create")),
      later: button(t("recovery.later")),
      done: button(t("recovery.saved")),
    },
    async enter(typed: string) {
      // Filled in at once, the code would be submitted.
      await code.or(recoveryCode).pressSequentially(typed);
      // A code that is submitted before the script has run reloads the page.
      await page.waitForLoadState();
      await confirm.click();
    },
  };
}

/** Sends the sign-in form without showing it, and opens the second step. */
export async function goToSecondFactor(
  { context, page, language }: Pick<BrowserUser, "context" | "page" | "language">,
  address: string,
  { username, password }: Credentials,
): Promise<void> {
  const headers = { "accept-language": language };
  const opened = await context.request.get(address, { headers });
  const { action, fields } = readPage(await opened.text()).form("/login/native");
  const sent = await context.request.post(new URL(action, opened.url()).href, {
    form: { ...Object.fromEntries(fields), username, password },
    headers: { ...headers, origin: new URL(opened.url()).origin },
    maxRedirects: 0,
  });
  await page.goto(new URL(sent.headers().location ?? "", opened.url()).href);
  await page.waitForURL(/\/mfa\/verify\?/);
}

/** Returns the input of the domain's second-factor calls for the open page, as its JSON calls pass it. */
export async function readStepInput(
  { context, page }: Pick<BrowserUser, "context" | "page">,
  { server }: Pick<Installation, "server">,
): Promise<FactorInput> {
  const mfaToken = await page.locator('input[name="mfa_token"]').first().inputValue();
  const name = browserCookie.name(server.context.config);
  const browser = (await context.cookies()).find((cookie) => cookie.name === name)?.value ?? "";
  return { mfaToken, browser, address: "127.0.0.1", userAgent: "", requestId: "seeded" };
}

/** Returns the secret shown by the set-up of an authenticator app. */
export async function readSecret({ page }: Pick<BrowserUser, "page">): Promise<string> {
  return (await page.locator("#secret-key").innerText()).replace(/\s/g, "");
}

/** Returns a code that is valid neither now nor soon. */
export async function wrongCode(app: TestApp): Promise<string> {
  const right = await Promise.all([-1, 0, 1, 2].map((stepsLater) => app.code(stepsLater)));
  const wrong = ["111111", "222222", "333333", "444444", "555555"].find((code) => !right.includes(code));
  return wrong ?? "666666";
}

/** Waits for the request to touch the key; without JavaScript, for the hint that keys require it. */
export async function seesKeyPart({ page, t }: Pick<BrowserUser, "page" | "t">): Promise<void> {
  const waiting = page.getByText(t("mfaLogin.fido2.waiting"));
  const unscripted = page.getByText(t("common.noScriptHint"));
  await waiting.or(unscripted).filter({ visible: true }).waitFor();
}
