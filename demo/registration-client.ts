/** What the person says of herself. */
export type Account = { username: string; displayName: string; email: string };

/** A registration that the provider knows: what was hinted, and the id to complete it with. */
export type Joining = { registrationId: string; hints: Readonly<Record<string, string>> };

/** Why the provider did not make the account: the code of its answer. */
export class RegistrationError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`the provider answered ${code}`);
    this.code = code;
  }
}

/** The part of the application that registers people with the provider. */
export type Registrar = {
  /** What a registration_token stands for. Throws RegistrationError. */
  redeem(token: string): Promise<Joining>;
  /** Makes the account; answers where to send the browser. Throws RegistrationError. */
  complete(joining: Joining, account: Account): Promise<string>;
};

type Credentials = { issuer: string; clientId: string; clientSecret: string };

export function createRegistrar({ issuer, clientId, clientSecret }: Credentials): Registrar {
  // Both parts are form-encoded before they are joined (RFC 6749 section 2.3.1).
  const pair = [clientId, clientSecret].map(encodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(pair).toString("base64")}`;

  async function call(name: string, body: object): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(new URL(`/api/v1/rpc/registration/${name}`, issuer), {
      method: "POST",
      headers: { "content-type": "application/json", authorization },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    const values = new Map(Object.entries(typeof answer === "object" && answer !== null ? answer : {}));
    if (!response.ok) throw new RegistrationError(String(values.get("error")));
    return Object.fromEntries(values);
  }

  return {
    async redeem(token) {
      const { registration_id, hints } = await call("redeem", { registration_token: token });
      const said = Object.entries(typeof hints === "object" && hints !== null ? hints : {});
      return {
        registrationId: String(registration_id),
        hints: Object.fromEntries(said.map(([key, value]) => [key, String(value)])),
      };
    },
    async complete({ registrationId }, { username, displayName, email }) {
      const account = { username, display_name: displayName, email };
      const { callback_url } = await call("complete", { registration_id: registrationId, ...account });
      return String(callback_url);
    },
  };
}
