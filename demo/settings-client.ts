/** The part of the application that sends people to their login settings at the provider. */
export type SettingsDoor = {
  /**
   * Where to send the browser, within a minute and once. Throws when the provider refuses, as for a session that has
   * ended.
   */
  urlFor(accessToken: string): Promise<string>;
};

type Options = { issuer: string; clientId: string; clientSecret: string; url: string };

/** `url`: where this application is; the settings lead back there. */
export function createSettingsDoor({ issuer, clientId, clientSecret, url }: Options): SettingsDoor {
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
      const answer: unknown = await response.json();
      const values = new Map(Object.entries(typeof answer === "object" && answer !== null ? answer : {}));
      if (!response.ok) throw new Error(`the provider answered ${values.get("error")}`);
      return String(values.get("url"));
    },
  };
}
