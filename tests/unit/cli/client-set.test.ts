import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createInstallation, type Installation, run } from "./terminal.ts";

const ADD = [
  ...["client", "add", "--id", "desk", "--name", "Broker Desk", "--redirect-uri", "https://desk.example/callback"],
  ...["--client-uri", "https://desk.example/", "--policy-uri", "https://desk.example/privacy", "--first-party"],
  ...["--registration-url", "https://desk.example/join", "--reg-hint", "email", "--response-mode", "query"],
  ...["--post-logout-redirect-uri", "https://desk.example/bye", "--backchannel-logout-uri", "https://desk.example/out"],
  ...["--initiate-login-uri", "https://desk.example/start", "--may-introspect", "--confirm-account"],
];

async function shown({ gatehouse }: Installation) {
  return z.record(z.string(), z.unknown()).parse((await gatehouse(["client", "show", "desk", "--json"])).json());
}

describe("client set", () => {
  it.each([
    [["--name", "Desk"], { name: "Desk" }],
    [
      ["--redirect-uri", "https://a.example/", "--redirect-uri", "https://b.example/"],
      { redirect_uris: ["https://a.example/", "https://b.example/"] },
    ],
    [["--scope", "openid"], { scopes: ["openid"] }],
    [["--no-first-party"], { first_party: false }],
    [["--no-pkce"], { require_pkce: false }],
    [["--auth-method", "client_secret_post"], { auth_method: "client_secret_post" }],
    [["--id-token-alg", "ES256"], { id_token_alg: "ES256" }],
    [["--no-response-mode"], { response_modes: null }],
    [["--response-mode", "form_post"], { response_modes: ["form_post"] }],
    [["--no-confirm-account", "--no-may-introspect"], { confirm_account: false, may_introspect: false }],
    [["--no-registration-url", "--no-reg-hint"], { registration_url: null, reg_hints: [] }],
    [["--no-client-uri", "--no-policy-uri"], { client_uri: null, policy_uri: null }],
    [
      ["--no-backchannel-logout-uri", "--no-initiate-login-uri"],
      { backchannel_logout_uri: null, initiate_login_uri: null },
    ],
    [["--no-post-logout-redirect-uri"], { post_logout_redirect_uris: [] }],
  ])("%j changes only that", async (args, expected) => {
    const installation = await createInstallation();
    await installation.gatehouse(ADD);
    const before = await shown(installation);
    const set = await installation.gatehouse(["client", "set", "desk", ...args, "--json"]);
    expect(set.exitCode).toBe(0);
    expect(set.json()).toEqual({ ...before, ...expected, updated_at: expect.any(String) });
    expect(await shown(installation)).toEqual(set.json());
  });

  it("is in the audit trail with its changes", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    await gatehouse(["client", "set", "desk", "--name", "Desk", "--no-policy-uri"]);
    const listed = await gatehouse(["audit", "list", "--type", "client.changed", "--json"]);
    expect(listed.json()).toMatchObject([{ client_id: "desk", detail: { reason: "name, policyUri" } }]);
  });

  it("never shows or changes the secret", async () => {
    const { gatehouse } = await createInstallation();
    const added = z.object({ client_secret: z.string() }).parse((await gatehouse([...ADD, "--json"])).json());
    const { stdout } = await gatehouse(["client", "set", "desk", "--name", "Desk", "--json"]);
    expect(stdout).not.toContain(added.client_secret);
    expect(stdout).not.toMatch(/sealed|secret"/);
  });

  it.each([
    ["nothing to change", [], 2, "No change was given"],
    ["a redirect URI over http", ["--redirect-uri", "http://desk.example/"], 2, "http://desk.example/"],
    ["an unknown scope", ["--scope", "everything"], 2, "everything"],
    ["hints without an address to register at", ["--no-registration-url"], 2, "--reg-hint"],
  ])("ends without a change for %s", async (_what, args, exitCode, message) => {
    const installation = await createInstallation();
    await installation.gatehouse(ADD);
    const before = await shown(installation);
    const set = await installation.gatehouse(["client", "set", "desk", ...args]);
    expect(set.exitCode).toBe(exitCode);
    expect(set.stderr).toContain(message);
    expect(await shown(installation)).toEqual(before);
  });

  it("a public client stays one: it cannot get what rests on a secret", async () => {
    const { gatehouse } = await createInstallation();
    const uri = "com.example.phone:/callback";
    await gatehouse(["client", "add", "--id", "phone", "--name", "Phone", "--public", "--redirect-uri", uri]);
    expect((await gatehouse(["client", "set", "phone", "--name", "Telephone"])).exitCode).toBe(0);
    for (const option of [["--no-pkce"], ["--may-introspect"], ["--auth-method", "client_secret_post"]]) {
      expect((await gatehouse(["client", "set", "phone", ...option])).exitCode, option.join(" ")).toBe(2);
    }
    const after = (await gatehouse(["client", "show", "phone", "--json"])).json();
    expect(after).toMatchObject({ name: "Telephone", auth_method: "none", require_pkce: true });
  });

  it("ends with 4 for a client that is not there", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(["client", "set", "nothing", "--name", "N"])).exitCode).toBe(4);
  });

  it("has every option of client add but the id, the kind and the snippet", async () => {
    const optionsOf = async (verb: string) => {
      const { stdout } = await run(["client", verb, "--help"]);
      return new Set([...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option ?? ""));
    };
    const set = await optionsOf("set");
    const missing = [...(await optionsOf("add"))].filter((option) => !set.has(option));
    expect(missing.toSorted()).toEqual(["--id", "--public", "--snippet"]);
  });
});
