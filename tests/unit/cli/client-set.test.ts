import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createInstallation, type Installation, run } from "./terminal.ts";

const ADD = [
  ...["client", "add", "--id", "desk", "--name", "Broker Desk", "--redirect-uri", "https://desk.example/callback"],
  "--everyone",
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
    [["--require-mfa"], { require_mfa: true }],
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
    const after = { ...before, ...expected, updated_at: expect.any(String) };
    expect(set.json()).toEqual({ ...after, lost_access: 0 });
    expect(await shown(installation)).toEqual(after);
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
    await gatehouse([
      "client",
      "add",
      "--id",
      "phone",
      "--name",
      "Phone",
      "--public",
      "--everyone",
      "--redirect-uri",
      uri,
    ]);
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

describe("client set opens and closes a client", () => {
  /** Creates a client that is open to everyone, and the groups North and South. */
  async function withGroups() {
    const installation = await createInstallation();
    for (const name of ["North", "South"]) await installation.gatehouse(["group", "add", name]);
    await installation.gatehouse(ADD);
    const set = (...args: string[]) => installation.gatehouse(["client", "set", "desk", ...args]);
    const access = async () => {
      const { access, groups } = await shown(installation);
      return { access, groups };
    };
    return { ...installation, set, access };
  }

  it("--allow-group closes it to all others, and further groups are added", async () => {
    const { set, access } = await withGroups();
    expect((await set("--allow-group", "South")).stdout).toBe(
      "Changed client desk.\nIt is open to group South.\n0 users lost access; their tokens were revoked.\n",
    );
    expect(await access()).toEqual({ access: "groups", groups: ["South"] });
    await set("--allow-group", "North");
    expect(await access()).toEqual({ access: "groups", groups: ["North", "South"] });
  });

  it("--disallow-group removes a group; without a group no user may use the client, which is not open again", async () => {
    const { set, access } = await withGroups();
    await set("--allow-group", "North", "--allow-group", "South");
    await set("--disallow-group", "North");
    expect(await access()).toEqual({ access: "groups", groups: ["South"] });
    expect((await set("--disallow-group", "South")).stdout).toContain("It is open to no group.");
    expect(await access()).toEqual({ access: "groups", groups: [] });
  });

  it("--everyone removes the groups", async () => {
    const { set, access } = await withGroups();
    await set("--allow-group", "North");
    await set("--everyone");
    expect(await access()).toEqual({ access: "everyone", groups: [] });
    await set("--allow-group", "South");
    expect(await access()).toEqual({ access: "groups", groups: ["South"] });
  });

  it("--dry-run changes nothing, and is in no audit trail", async () => {
    const { gatehouse, set, access } = await withGroups();
    const check = await set("--allow-group", "North", "--dry-run");
    expect(check.stdout).toContain("Nothing was changed");
    expect(check.stdout).toContain("It would be open to group North.");
    expect(await access()).toEqual({ access: "everyone", groups: [] });
    expect((await gatehouse(["audit", "list", "--type", "client.changed", "--json"])).json()).toEqual([]);
    expect((await set("--allow-group", "Nord", "--dry-run")).exitCode).toBe(4);
  });

  it("the audit trail says to whom it was and is open", async () => {
    const { gatehouse, set } = await withGroups();
    await set("--allow-group", "North", "--require-mfa");
    await set("--everyone");
    const listed = await gatehouse(["audit", "list", "--type", "client.changed", "--json"]);
    expect(listed.json()).toMatchObject([
      { detail: { reason: "requireMfa, access: everyone -> group North" } },
      { detail: { reason: "access: group North -> everyone" } },
    ]);
  });

  it.each([
    ["a group that is not there", ["--allow-group", "Nord"], 4, 'There is no group "Nord".'],
    ["a group that is not there", ["--disallow-group", "Nord"], 4, 'There is no group "Nord".'],
    ["a group of a client that is open to everyone", ["--disallow-group", "North"], 2, "open to everyone"],
    ["everyone and a group", ["--everyone", "--allow-group", "North"], 2, "cannot be used with"],
    ["everyone but a group", ["--everyone", "--disallow-group", "North"], 2, "cannot be used with"],
  ])("changes nothing for %s: %j", async (_what, args, exitCode, message) => {
    const { set, access } = await withGroups();
    const refused = await set(...args);
    expect([refused.exitCode, refused.stderr]).toEqual([exitCode, expect.stringContaining(message)]);
    expect(await access()).toEqual({ access: "everyone", groups: [] });
  });
});

describe("client set --logo-file", () => {
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><path d="M0 0h4v4z"/></svg>';

  /** Writes a file that is removed after the test. */
  function write(content: string): string {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-logo-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "logo.svg");
    writeFileSync(path, content);
    return path;
  }

  it("stores a logo, replaces it and removes it", async () => {
    const installation = await createInstallation();
    const { gatehouse } = installation;
    await gatehouse(ADD);
    const logoOf = async () => (await shown(installation)).logo;
    expect(await logoOf()).toBeNull();
    const set = await gatehouse(["client", "set", "desk", "--logo-file", write(SVG)]);
    expect([set.exitCode, set.stdout]).toEqual([0, "Changed client desk.\n"]);
    const first = await logoOf();
    expect(first).toEqual({ media_type: "image/svg+xml", hash: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect((await gatehouse(["client", "show", "desk"])).stdout).toMatch(/^logo +image\/svg\+xml$/m);
    await gatehouse(["client", "set", "desk", "--logo-file", write(SVG.replace("h4v4", "h3v3"))]);
    expect(await logoOf()).not.toEqual(first);
    await gatehouse(["client", "set", "desk", "--no-logo"]);
    expect(await logoOf()).toBeNull();
  });

  // Proves requirement 180.
  it.each([
    ["a script", SVG.replace("<path", "<script>1</script><path"), "contains a script"],
    ["an event attribute", SVG.replace("<path", '<path onload="x()"'), "contains an event attribute"],
    ["another file type", "GIF89a", "is neither an SVG nor a PNG file"],
    ["too many bytes", SVG + " ".repeat(64 * 1024), "which has 65 KB"],
  ])("refuses %s as LOGO_FILE does", async (_what, content, message) => {
    const installation = await createInstallation();
    await installation.gatehouse(ADD);
    const refused = await installation.gatehouse(["client", "set", "desk", "--logo-file", write(content)]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(refused.stderr).toContain("--logo-file is");
    expect((await shown(installation)).logo).toBeNull();
  });

  it("refuses a file that is not there", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const refused = await gatehouse(["client", "set", "desk", "--logo-file", "/nowhere/logo.svg"]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("--logo-file cannot be read")]);
  });
});
