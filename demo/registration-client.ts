/** The input of the registration form. */
export type NewAccount = { username: string; displayName: string; email: string };

/** A redeemed registration: the hints, and the id that completes it. */
export type OpenRegistration = { registrationId: string; hints: Readonly<Record<string, string>> };

/** The provider rejected a registration call; `code` is the error code of its response. */
export class RegistrationError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`registration call failed: ${code}`);
    this.code = code;
  }
}

/** Client of the registration API of the provider. */
export type RegistrationClient = {
  /** Redeems a registration_token. Throws RegistrationError. */
  redeem(token: string): Promise<OpenRegistration>;
  /** Creates the account and returns the URL to redirect the browser to. Throws RegistrationError. */
  complete(registration: OpenRegistration, account: NewAccount): Promise<string>;
};

type Credentials = { issuer: string; clientId: string; clientSecret: string };

export function createRegistrationClient({ issuer, clientId, clientSecret }: Credentials): RegistrationClient {
  // Both parts are form-encoded before they are joined (RFC 6749 §2.3.1).
  const pair = [clientId, clientSecret].map(encodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(pair).toString("base64")}`;

  async function call(name: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(new URL(`/api/v1/rpc/registration/${name}`, issuer), {
      method: "POST",
      headers: { "content-type": "application/json", authorization },
      body: JSON.stringify(body),
    });
    const responseBody: unknown = await response.json();
    const values = new Map(
      Object.entries(typeof responseBody === "object" && responseBody !== null ? responseBody : {}),
    );
    if (!response.ok) throw new RegistrationError(String(values.get("error")));
    return Object.fromEntries(values);
  }

  return {
    async redeem(token) {
      const { registration_id, hints } = await call("redeem", { registration_token: token });
      const entries = Object.entries(typeof hints === "object" && hints !== null ? hints : {});
      return {
        registrationId: String(registration_id),
        hints: Object.fromEntries(entries.map(([key, value]) => [key, String(value)])),
      };
    },
    async complete({ registrationId }, { username, displayName, email }) {
      const account = { username, display_name: displayName, email };
      const { callback_url } = await call("complete", { registration_id: registrationId, ...account });
      return String(callback_url);
    },
  };
}
