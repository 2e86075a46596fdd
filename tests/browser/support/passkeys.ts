import type { KeyObject } from "node:crypto";
import { givePasskey } from "#tests/support/factors.ts";
import type { TestUser } from "#tests/support/server.ts";
import type { BrowserUser, Installation } from "./installation.ts";

type DeviceOptions = {
  transport?: "internal" | "usb";
  /** The device has a fingerprint reader or a PIN, and the user passes its check. */
  verifiesUser?: boolean;
  isTouched?: boolean;
};

/** A virtual authenticator that stores passkeys. */
export type Device = {
  /** Stores a passkey that is registered for the user. */
  give(user: Pick<TestUser, "id">, synced?: { backupEligibility: boolean; backupState: boolean }): Promise<void>;
  setTouched(isTouched: boolean): Promise<void>;
};

/** Adds a virtual authenticator that stores passkeys to the open page of this browser. */
export async function addDevice(
  { server }: Pick<Installation, "server">,
  { context, page }: Pick<BrowserUser, "context" | "page">,
  { transport = "internal", verifiesUser = true, isTouched = true }: DeviceOptions = {},
): Promise<Device> {
  const session = await context.newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport,
      hasResidentKey: true,
      hasUserVerification: verifiesUser,
      isUserVerified: verifiesUser,
      automaticPresenceSimulation: isTouched,
    },
  });
  return {
    async give(user, synced) {
      const { credentialId, privateKey } = await givePasskey(server, user, { bend: { be: false, bs: false } });
      const credential = {
        credentialId: credentialId.toString("base64"),
        isResidentCredential: true,
        rpId: new URL(server.url).hostname,
        privateKey: encode(privateKey),
        userHandle: Buffer.from(user.id, "utf8").toString("base64"),
        signCount: 1,
        ...synced,
      };
      await session.send("WebAuthn.addCredential", { authenticatorId, credential });
    },
    async setTouched(enabled) {
      await session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
    },
  };
}

function encode(privateKey: KeyObject): string {
  return privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
}

/** Requests of a page for credentials: the mediation of each one, oldest first. */
export type Requests = { mediations(): Promise<string[]> };

/**
 * Notes each request for a credential. Without `offersAtField`, the browser has no conditional mediation: with a virtual
 * authenticator, Chromium shows no list, and chooses a passkey by itself.
 */
export async function noteRequests(
  { page }: Pick<BrowserUser, "page">,
  { offersAtField }: { offersAtField: boolean },
): Promise<Requests> {
  await page.addInitScript((isAvailable) => {
    const { credentials } = navigator;
    const get = credentials.get.bind(credentials);
    Object.assign(window, { mediations: [] });
    credentials.get = (options) => {
      Object(window).mediations.push(options?.mediation ?? "dialog");
      return get(options);
    };
    if (!isAvailable) PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  }, offersAtField);
  return { mediations: () => page.evaluate(() => Object(window).mediations) };
}
