import { LiveElement } from "./live-element.ts";

/** The signals of WebAuthn Level 3 §5.1.10, which the types of TypeScript do not have yet. */
type Signals = {
  prototype?: PublicKeyCredential;
  signalUnknownCredential?(options: { rpId: string; credentialId: string }): Promise<void>;
  signalAllAcceptedCredentials?(options: AcceptedCredentials): Promise<void>;
};

type AcceptedCredentials = { rpId: string; userId: string; allAcceptedCredentialIds: string[] };

/**
 * Informs the browser which credentials of the user work here, and which one was just removed, so that password managers
 * stop offering the others. Does nothing in browsers without these signals.
 */
export class PasskeySignal extends LiveElement {
  protected connect(): void {
    void this.signal();
  }

  private async signal(): Promise<void> {
    const signals: Signals = globalThis.PublicKeyCredential ?? {};
    const rpId = this.attribute("rp-id");
    const credentialId = this.attribute("removed");
    const allAcceptedCredentialIds = this.attribute("accepted").split(" ").filter(Boolean);
    try {
      if (credentialId) await signals.signalUnknownCredential?.({ rpId, credentialId });
      const userId = this.attribute("user-id");
      await signals.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds });
    } catch {
      // The signals are a courtesy to the password manager; a failure changes nothing here.
    }
  }
}
