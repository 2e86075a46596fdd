/** Opens the login settings of a user at the provider. */
export type SettingsClient = {
  /** Returns a single-use URL, valid for 60 seconds. Throws when the provider rejects the request. */
  urlFor(accessToken: string): Promise<string>;
};

type Options = { issuer: string; clientId: string; clientSecret: string; url: string };

/** `url` is the URL of this application; the settings link back to it. */
export function createSettingsClient({ issuer, clientId, clientSecret, url }: Options): SettingsClient {
  return {
    async urlFor(accessToken) {
      const response = await fetch(new URL("/api/v1/rpc/user/manage/token", issuer), {
        method: "POST",
        body: new URLSearchParams({
          access_token: accessToken,
          return_to_url: `${url}/`,
          client_id: clientId,
          client_secret: clientSecret,
        }),
      });
      const body: unknown = await response.json();
      const values = new Map(Object.entries(typeof body === "object" && body !== null ? body : {}));
      if (!response.ok) throw new Error(`settings request failed: ${values.get("error")}`);
      return String(values.get("url"));
    },
  };
}
