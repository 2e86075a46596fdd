import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createInstallation, type Installation } from "./terminal.ts";

const ADD = [
  "client",
  "add",
  "--id",
  "desk",
  "--name",
  "Broker Desk",
  "--redirect-uri",
  "https://desk.example/callback",
  "--everyone",
];

const REGISTERS = ["--registration-url", "https://desk.example/join"];

const credentials = z.strictObject({ client_id: z.string(), client_secret: z.string() });

describe("client add", () => {
  it("prints client_id and secret, and nothing else in JSON", async () => {
    const { gatehouse } = await createInstallation();
    const added = credentials.parse((await gatehouse([...ADD, "--json"])).json());
    expect(added.client_id).toBe("desk");
    expect(added.client_secret).toMatch(/^[\w-]{43}$/);
  });

  it("makes a client_id when none is wanted", async () => {
    const { gatehouse } = await createInstallation();
    const args = ["client", "add", "--name", "A", "--redirect-uri", "https://a.example/", "--everyone"];
    const added = await gatehouse([...args, "--json"]);
    expect(credentials.parse(added.json()).client_id).toMatch(/^[0-9a-f]{32}$/);
  });

  it("prints no secret for a public client", async () => {
    const { gatehouse } = await createInstallation();
    const args = ["client", "add", "--id", "phone", "--name", "Phone", "--public", "--everyone"];
    const added = await gatehouse([...args, "--redirect-uri", "com.example.phone:/callback", "--json"]);
    expect(added.json()).toEqual({ client_id: "phone", client_secret: null });
  });

  it("stores all options", async () => {
    const { gatehouse } = await createInstallation();
    const added = await gatehouse([
      ...[
        ...ADD,
        "--redirect-uri",
        "https://desk.example/second",
        "--post-logout-redirect-uri",
        "https://desk.example/",
      ],
      ...[
        "--scope",
        "openid",
        "--scope",
        "reports",
        "--first-party",
        "--no-pkce",
        "--auth-method",
        "client_secret_post",
      ],
      ...["--id-token-alg", "ES256", "--confirm-account", "--may-introspect", "--client-uri", "https://desk.example/"],
      ...["--backchannel-logout-uri", "https://desk.example/bye", "--initiate-login-uri", "https://desk.example/start"],
      ...["--policy-uri", "https://desk.example/privacy", "--response-mode", "query", "--response-mode", "form_post"],
      ...["--registration-url", "https://desk.example/join", "--reg-hint", "email", "--reg-hint", "name"],
    ]);
    expect(added.exitCode).toBe(0);
    expect((await gatehouse(["client", "show", "desk", "--json"])).json()).toMatchObject({
      client_id: "desk",
      name: "Broker Desk",
      redirect_uris: ["https://desk.example/callback", "https://desk.example/second"],
      post_logout_redirect_uris: ["https://desk.example/"],
      scopes: ["openid", "reports"],
      first_party: true,
      public: false,
      require_pkce: false,
      auth_method: "client_secret_post",
      id_token_alg: "ES256",
      confirm_account: true,
      may_introspect: true,
      client_uri: "https://desk.example/",
      backchannel_logout_uri: "https://desk.example/bye",
      initiate_login_uri: "https://desk.example/start",
      policy_uri: "https://desk.example/privacy",
      response_modes: ["query", "form_post"],
      registration_url: "https://desk.example/join",
      reg_hints: ["email", "name"],
    });
  });

  it.each([
    ["a redirect URI over http", ["--redirect-uri", "http://desk.example/"], "http://desk.example/"],
    ["an unknown scope", ["--scope", "everything"], "everything"],
    ["an invalid home page", ["--client-uri", "desk"], "--client-uri"],
    ["an unknown response mode", ["--response-mode", "web_message"], "--response-mode"],
    ["a registration address over http", ["--registration-url", "http://desk.example/"], "--registration-url"],
    ["a hint without an address to register at", ["--reg-hint", "email"], "--reg-hint"],
    ["an unknown hint", [...REGISTERS, "--reg-hint", "a b"], "--reg-hint"],
    ["a public client that registers users", ["--public", ...REGISTERS], "--registration-url"],
    ["registering by a signed assertion", ["--auth-method", "client_secret_jwt", ...REGISTERS], "--registration-url"],
    ["a public client without PKCE", ["--public", "--no-pkce"], "PKCE"],
  ])("ends with 2 for %s and names it", async (_what, args, message) => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stderr } = await gatehouse([...ADD, ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect((await gatehouse(["client", "show", "desk"])).exitCode).toBe(4);
  });

  it.each([
    ["a confidential client", []],
    ["a public client with https on a loopback address", ["--public", "--redirect-uri", "https://localhost/"]],
  ])("states when a private-use scheme is allowed, for %s", async (_what, args) => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stderr } = await gatehouse([...ADD, "--redirect-uri", "com.example.desk:/callback", ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Public clients may also use a private-use scheme, such as com.example.app:/callback");
    expect(stderr).toContain("but then http instead of https on this machine");
  });

  it("adds a public client with an https and a private-use redirect URI (RFC 8252 section 7)", async () => {
    const { gatehouse } = await createInstallation();
    const added = await gatehouse([...ADD, "--public", "--redirect-uri", "com.example.desk:/callback", "--json"]);
    expect([added.exitCode, added.stderr]).toEqual([0, ""]);
    const shown = (await gatehouse(["client", "show", "desk", "--json"])).json();
    expect(shown).toMatchObject({ redirect_uris: ["https://desk.example/callback", "com.example.desk:/callback"] });
  });

  it("needs no redirect URI for a resource server, and ends with 2 for any other client without one", async () => {
    const { gatehouse } = await createInstallation();
    const add = ["client", "add", "--id", "api", "--name", "API"];
    const refused = await gatehouse([...add, "--everyone"]);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("--redirect-uri: required unless")]);
    expect((await gatehouse([...add, "--may-introspect"])).exitCode).toBe(0);
    const shown = (await gatehouse(["client", "show", "api", "--json"])).json();
    expect(shown).toMatchObject({ redirect_uris: [], may_introspect: true });
    expect((await gatehouse(["client", "set", "api", "--no-may-introspect"])).exitCode).toBe(2);
    const uri = ["--redirect-uri", "https://api.example/callback"];
    expect((await gatehouse(["client", "set", "api", "--no-may-introspect", ...uri])).exitCode).toBe(0);
    expect((await gatehouse(["client", "set", "api", "--no-redirect-uri"])).exitCode).toBe(2);
  });

  it("allows every response mode without --response-mode", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    expect((await gatehouse(["client", "show", "desk", "--json"])).json()).toMatchObject({ response_modes: null });
    expect((await gatehouse(["client", "show", "desk"])).stdout).toMatch(/^response modes +any$/m);
  });

  it("shows the registration URL and the hints", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse([...ADD, ...REGISTERS, "--reg-hint", "email", "--reg-hint", "email", "--reg-hint", "name"]);
    const { stdout } = await gatehouse(["client", "show", "desk"]);
    expect(stdout).toMatch(/^registration URL +https:\/\/desk\.example\/join$/m);
    expect(stdout).toMatch(/^registration hints +email name$/m);
  });

  it("shows whether it may open the settings, and the return URLs", async () => {
    const { gatehouse } = await createInstallation();
    const back = "https://desk.example/profile";
    await gatehouse([...ADD, "--may-open-settings", "--settings-return-uri", back]);
    const { stdout } = await gatehouse(["client", "show", "desk"]);
    expect(stdout).toMatch(/^may open settings +yes$/m);
    expect(stdout).toMatch(/^settings return URIs +https:\/\/desk\.example\/profile$/m);
  });

  it("refuses an id that is taken with 5", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    expect((await gatehouse(ADD)).exitCode).toBe(5);
  });
});

describe("client add", () => {
  const args = ADD.filter((arg) => arg !== "--everyone");

  /** Adds groups of these names. */
  async function withGroups(...names: string[]): Promise<Installation> {
    const installation = await createInstallation();
    for (const name of names) await installation.gatehouse(["group", "add", name]);
    return installation;
  }

  // Proves requirement 177.
  it("demands that the administrator opens the client to everyone or to groups, and names both options", async () => {
    const { gatehouse } = await createInstallation();
    const refused = await gatehouse(args);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("missing option: one of --everyone, --allow-group");
    expect(refused.stderr).toContain("gatehouse group list");
    const both = await gatehouse([...args, "--everyone", "--allow-group", "North"]);
    expect(both.exitCode).toBe(2);
    expect(both.stderr).toContain("'--everyone' cannot be used with option '--allow-group <name>'");
    expect((await gatehouse(["client", "show", "desk"])).exitCode).toBe(4);
  });

  it("opens a client to everyone", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse([...args, "--everyone"]);
    const { stdout } = await gatehouse(["client", "show", "desk"]);
    expect(stdout).toMatch(/^open to +everyone$/m);
    expect((await gatehouse(["client", "list"])).stdout).toMatch(/^desk .*everyone$/m);
  });

  it("opens a client to groups, each once, and requires a second factor of all users", async () => {
    const { gatehouse } = await withGroups("North", "South");
    const groups = ["South", "North", "South"].flatMap((name) => ["--allow-group", name]);
    expect((await gatehouse([...args, ...groups, "--require-mfa"])).exitCode).toBe(0);
    const shown = (await gatehouse(["client", "show", "desk", "--json"])).json();
    expect(shown).toMatchObject({ access: "groups", groups: ["North", "South"], require_mfa: true });
    const { stdout } = await gatehouse(["client", "show", "desk"]);
    expect(stdout).toMatch(/^open to +groups North, South$/m);
    expect(stdout).toMatch(/^second factor +required$/m);
    expect((await gatehouse(["client", "list"])).stdout).toMatch(/^desk .*groups North, South$/m);
    const added = await gatehouse(["audit", "list", "--type", "client.added", "--json"]);
    expect(added.json()).toMatchObject([{ detail: { reason: "open to groups South, North" } }]);
  });

  it("ends with 4 for a group that is not there, and adds no client", async () => {
    const { gatehouse } = await withGroups("North");
    const refused = await gatehouse([...args, "--allow-group", "North", "--allow-group", "Nord"]);
    expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining('There is no group "Nord".')]);
    expect((await gatehouse(["client", "show", "desk"])).exitCode).toBe(4);
  });

  it("demands no decision for a client that signs no users in, which is closed if it gets a redirect URI", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(["client", "add", "--id", "api", "--name", "API", "--may-introspect"]);
    expect((await gatehouse(["client", "show", "api"])).stdout).toMatch(/^open to +-$/m);
    const set = await gatehouse(["client", "set", "api", "--redirect-uri", "https://api.example/callback"]);
    expect(set.stderr).toContain("No user may use it. Open it: gatehouse client set api --allow-group NAME");
    expect((await gatehouse(["client", "show", "api"])).stdout).toMatch(/^open to +no group$/m);
  });
});

describe("client add --snippet", () => {
  it.each(["openid-client", "curl", "authlib", "django", "spring", "mod_auth_openidc"])(
    "%s names the issuer and the client, not the secret; client snippet prints the same later",
    async (kind) => {
      const { gatehouse } = await createInstallation();
      const { stdout } = await gatehouse([...ADD, "--snippet", kind]);
      const [, secret = "?"] = /^client_secret +(\S+)$/m.exec(stdout) ?? [];
      const [head = "", ...snippet] = stdout.split("\n\n");
      expect(head).toContain(secret);
      expect(snippet.join()).not.toContain(secret);
      for (const text of ["http://localhost:3000", "desk", "CLIENT_SECRET"]) expect(snippet.join()).toContain(text);
      const later = await gatehouse(["client", "snippet", "desk", kind]);
      expect([later.exitCode, later.stdout]).toEqual([0, snippet.join("\n\n")]);
    },
  );

  it("is in JSON under its own name", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse([...ADD, "--snippet", "curl", "--json"])).json()).toMatchObject({
      client_id: "desk",
      snippet: expect.stringContaining("curl"),
    });
    expect((await gatehouse(["client", "snippet", "desk", "curl", "--json"])).json()).toMatchObject({
      client_id: "desk",
      snippet: expect.stringContaining("curl"),
    });
  });

  it.each([
    ["oidc-client-ts", [], "--public"],
    ["spring", ["--public"], "without --public"],
    ["django", ["--auth-method", "client_secret_jwt"], "--auth-method client_secret_basic"],
    ["spring", ["--id-token-alg", "ES256"], "--id-token-alg RS256"],
  ])("ends with 5, before the client is registered, if %s cannot be used with it", async (kind, args, fix) => {
    const { gatehouse } = await createInstallation();
    const refused = await gatehouse([...ADD, ...args, "--snippet", kind]);
    expect([refused.exitCode, refused.stderr]).toEqual([5, expect.stringContaining(fix)]);
    expect((await gatehouse(["client", "show", "desk"])).exitCode).toBe(4);
    await gatehouse([...ADD, ...args]);
    expect((await gatehouse(["client", "snippet", "desk", kind])).exitCode).toBe(5);
  });

  it("of a resource server introspects a token", async () => {
    const { gatehouse } = await createInstallation();
    const add = ["client", "add", "--id", "api", "--name", "API", "--may-introspect"];
    expect((await gatehouse([...add, "--snippet", "spring"])).exitCode).toBe(5);
    expect((await gatehouse([...add, "--snippet", "curl"])).stdout).toContain("/oauth2/introspect");
  });
});

describe("a client's secret", () => {
  it("is shown by client add and client rotate-secret only", async () => {
    const { gatehouse } = await createInstallation();
    const added = credentials.parse((await gatehouse([...ADD, "--json"])).json());
    const rotated = credentials.parse((await gatehouse(["client", "rotate-secret", "desk", "--json"])).json());
    expect(rotated.client_secret).not.toBe(added.client_secret);
    for (const args of [["show", "desk"], ["show", "desk", "--json"], ["list"], ["list", "--json"]]) {
      const { stdout } = await gatehouse(["client", ...args]);
      expect(stdout).toContain("desk");
      for (const secret of [added.client_secret, rotated.client_secret]) expect(stdout).not.toContain(secret);
      expect(stdout).not.toMatch(/sealed|client_secret["\s]/);
    }
  });

  it("is not for public clients: rotating ends with 5", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse([...ADD, "--public"]);
    expect((await gatehouse(["client", "rotate-secret", "desk"])).exitCode).toBe(5);
  });
});

describe("client remove", () => {
  it("needs --yes without a terminal, and changes nothing without it", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const { exitCode, stderr } = await gatehouse(["client", "remove", "desk"]);
    expect(exitCode).toBe(5);
    expect(stderr).toContain("--yes");
    expect((await gatehouse(["client", "show", "desk"])).exitCode).toBe(0);
    expect((await gatehouse(["client", "remove", "desk", "--yes"])).exitCode).toBe(0);
    expect((await gatehouse(["client", "show", "desk"])).exitCode).toBe(4);
  });

  it.each([
    ["y", 0],
    ["Yes", 0],
    ["n", 5],
    ["", 5],
  ])("asks on a terminal: %j ends with %i", async (answer, exitCode) => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const removed = await gatehouse(["client", "remove", "desk"], { answers: [answer] });
    expect(removed.stderr).toContain("Broker Desk");
    expect(removed.exitCode).toBe(exitCode);
    expect((await gatehouse(["client", "show", "desk"])).exitCode).toBe(exitCode === 0 ? 4 : 0);
  });

  it("treats an interruption as a no", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    expect((await gatehouse(["client", "remove", "desk"], { answers: [] })).exitCode).toBe(5);
  });
});

describe("a client that is not there", () => {
  it.each([[["show", "nothing"]], [["rotate-secret", "nothing"]], [["remove", "nothing", "--yes"]]])(
    "%j ends with 4",
    async (args) => {
      const { gatehouse } = await createInstallation();
      expect((await gatehouse(["client", ...args])).exitCode).toBe(4);
    },
  );
});
