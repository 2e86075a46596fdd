import { describe, expect, it } from "vitest";
import { createInstallation, type Finished } from "./terminal.ts";

const CLIENT = ["--id", "desk", "--name", "Broker Desk", "--redirect-uri", "https://desk.example/callback"];
const PASSWORD = "Ledger-Window-27-Oak";

/** Creates an installation with the client `desk` and the user `anna`, and runs `client preview` for them. */
async function createDesk(...options: readonly string[]) {
  const { gatehouse } = await createInstallation();
  const client = await gatehouse(["client", "add", ...CLIENT, "--everyone", ...options, "--json"]);
  const profile = ["--display-name", "Anna Berg", "--email", "anna@office.example", "--password-stdin"];
  const user = await gatehouse(["user", "add", "anna", ...profile, "--json"], { input: PASSWORD });
  expect([client.exitCode, user.exitCode]).toEqual([0, 0]);
  return {
    gatehouse,
    secret: String(Object(client.json()).client_secret),
    userId: String(Object(user.json()).id),
    preview: (...args: readonly string[]): Promise<Finished> =>
      gatehouse(["client", "preview", "desk", "--user", "anna", ...args]),
  };
}

describe("client preview", () => {
  it("prints what a sign-in would result in", async () => {
    const { preview, userId } = await createDesk("--scope", "openid", "--scope", "groups", "--scope", "offline");
    const { exitCode, stdout, stderr } = await preview();
    expect([exitCode, stderr]).toEqual([0, ""]);
    const [summary = "", ...sections] = stdout.trimEnd().split("\n\n");
    expect(summary.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["client_id", "desk"],
      ["user", "anna"],
      ["scopes", "openid groups offline"],
      ["sign-in", "succeeds"],
      ["second factor", "not required"],
      ["consent", "asked: the user has not given it yet"],
      ["refresh token", "issued"],
    ]);
    const printed = sections.map((section) => section.split("\n"));
    expect(printed.map(([title]) => title)).toEqual(["ID token", "userinfo", "access token (introspection)"]);
    const [idToken, userinfo, accessToken] = printed.map(([, ...lines]) => JSON.parse(lines.join("\n")));
    expect(userinfo).toEqual({ sub: userId, groups: [] });
    expect(idToken).toEqual({
      sub: userId,
      acr: "urn:gatehouse:acr:password",
      amr: ["pwd"],
      auth_time: "<time of the sign-in>",
      groups: [],
      nonce: "<nonce of the request>",
      aud: "desk",
      exp: "<iat + 600 s>",
      iat: "<time of issue>",
      iss: "http://localhost:3000",
    });
    expect(accessToken).toMatchObject({ active: true, client_id: "desk", scope: "openid groups offline" });
  });

  it("prints the same as JSON, for the requested scopes", async () => {
    const { preview, userId } = await createDesk("--first-party");
    const { exitCode, json } = await preview("--scope", "openid", "--scope", "email", "--json");
    expect(exitCode).toBe(0);
    expect(json()).toMatchObject({
      client_id: "desk",
      username: "anna",
      scopes: ["openid", "email"],
      refusals: [],
      second_factor: null,
      consent: { kind: "not-asked", because: "first-party" },
      issued: {
        id_token: { sub: userId, aud: "desk" },
        userinfo: { sub: userId, email: "anna@office.example", email_verified: false },
        access_token: { scope: "openid email", token_type: "Bearer" },
        has_refresh_token: false,
      },
    });
  });

  it("prints that there is neither ID token nor userinfo without openid", async () => {
    const { preview } = await createDesk("--scope", "openid", "--scope", "profile");
    const { stdout } = await preview("--scope", "profile");
    expect(stdout).toContain("ID token\nnone: the scope openid is not requested\n");
    expect(stdout).toContain("userinfo\nnone: the scope openid is not requested\n");
  });

  it("prints each reason of a refusal, and exits with 1", async () => {
    const { preview, gatehouse } = await createDesk();
    await gatehouse(["user", "block", "anna"]);
    const { exitCode, stdout, stderr } = await preview(
      "--scope",
      "openid",
      "--scope",
      "\u001b[2Jevil",
      "--scope",
      "groups",
    );
    expect([exitCode, stderr]).toEqual([1, ""]);
    expect(stdout).toContain("refused: the user is blocked; to allow the sign-in: gatehouse user unblock anna");
    expect(stdout).toContain("refused: unknown scopes: \\u{1b}[2Jevil");
    expect(stdout).toContain("refused: scopes that are not registered for the client: groups");
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toMatch(/token/);
    const inJson = await preview("--json");
    expect([inJson.exitCode, inJson.json()]).toEqual([
      1,
      expect.objectContaining({ refusals: [{ reason: "blocked" }], issued: null }),
    ]);
  });

  it("prints that a user was never set up, and how to invite the user", async () => {
    const { gatehouse } = await createDesk();
    await gatehouse(["user", "add", "new.user", "--display-name", "New User"]);
    const { exitCode, stdout } = await gatehouse(["client", "preview", "desk", "--user", "New.User"]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      "no password and no connected account; to mail an invitation: gatehouse user invite new.user",
    );
  });

  it("prints what requires a second factor", async () => {
    const { gatehouse } = await createDesk();
    await gatehouse(["group", "add", "Vault", "--require-mfa"]);
    await gatehouse(["user", "set", "anna", "--group", "Vault"]);
    const { stdout } = await gatehouse(["client", "preview", "desk", "--user", "anna"], {
      env: { MFA_POLICY: "required" },
    });
    expect(stdout).toContain(
      "required: MFA_POLICY requires it; the group Vault requires it; the user sets one up during the sign-in",
    );
    expect(stdout).toContain('"acr": "urn:gatehouse:acr:mfa"');
  });

  it("prints neither secret nor token", async () => {
    const { preview, secret } = await createDesk("--scope", "openid", "--scope", "offline");
    const { stdout, stderr } = await preview("--json");
    expect(stdout + stderr).not.toContain(secret);
    expect(stdout + stderr).not.toMatch(/[\w-]{43}/);
  });

  it.each([
    { args: ["client", "preview", "nowhere", "--user", "anna"], exitCode: 4, message: 'There is no client "nowhere"' },
    { args: ["client", "preview", "desk", "--user", "nobody"], exitCode: 4, message: 'There is no user "nobody"' },
    { args: ["client", "preview", "desk"], exitCode: 2, message: "required option '--user <name>'" },
  ])("reports $message", async ({ args, exitCode, message }) => {
    const { gatehouse } = await createDesk();
    const finished = await gatehouse(args);
    expect([finished.exitCode, finished.stdout]).toEqual([exitCode, ""]);
    expect(finished.stderr).toContain(message);
  });
});
