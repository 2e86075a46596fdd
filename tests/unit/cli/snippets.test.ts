import { describe, expect, it } from "vitest";
import { SNIPPETS, type SnippetKind, snippetFor } from "#app/cli/snippets/snippet.ts";
import type { ClientView } from "#app/domain/client/show.server.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { generateClientRecipes } from "../../../scripts/generate-client-recipes.ts";

const ISSUER = "https://login.example.com";

const CLIENT = {
  id: "desk",
  redirectUris: ["https://desk.example/login/oauth2/code/gatehouse"],
  postLogoutRedirectUris: ["https://desk.example/"],
  scopes: ["openid", "profile", "email"],
  authMethod: "client_secret_basic",
  idTokenAlg: "RS256",
} as const;

type Changes = Partial<Pick<ClientView, "authMethod" | "idTokenAlg">>;

function write(kind: SnippetKind, changes: Changes = {}) {
  const lists = {
    redirectUris: [...CLIENT.redirectUris],
    postLogoutRedirectUris: [...CLIENT.postLogoutRedirectUris],
    scopes: [...CLIENT.scopes],
  };
  return snippetFor(kind, ISSUER, { ...CLIENT, ...lists, ...changes });
}

/** Returns the values of `key: value` lines. */
function yamlValues(text: string): Record<string, string> {
  const lines = [...text.matchAll(/^ +([a-z-]+): (.+)$/gm)];
  return Object.fromEntries(lines.map(([, key = "", value = ""]) => [key, value.replaceAll('"', "")]));
}

describe("the recipe of Spring Security, which no test runs", () => {
  it.each(["client_secret_basic", "client_secret_post"] as const)(
    "has the values of the client and of Gatehouse (%s)",
    (method) => {
      expect(yamlValues(write("spring", { authMethod: method }))).toEqual({
        "client-id": "desk",
        // A placeholder of Spring for the environment variable.
        "client-secret": expect.stringMatching(/^\$\{CLIENT_SECRET\}$/),
        "client-authentication-method": method,
        "authorization-grant-type": "authorization_code",
        "redirect-uri": CLIENT.redirectUris[0],
        scope: "[openid, profile, email]",
        "issuer-uri": ISSUER,
        "user-name-attribute": "sub",
      });
    },
  );

  it("sends PKCE, and expects the response at the path of the redirect URI", () => {
    expect(write("spring")).toContain("OAuth2AuthorizationRequestCustomizers.withPkce()");
    expect(write("spring")).toContain('.baseUri("/login/oauth2/code/gatehouse")');
  });

  it("is a class that compiles as pasted: every type of Spring that it names is imported", () => {
    const [, source = ""] = write("spring").split("// SecurityConfiguration.java.");
    const code = source.slice(source.indexOf("\n"));
    const imported = [...code.matchAll(/^import [\w.]+\.(\w+);$/gm)].map(([, name]) => name);
    const body = code.replaceAll(/^import .+$/gm, "").replaceAll(/"[^"]*"/g, "");
    const named = new Set([...body.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name));
    // The class itself, and a class of java.lang.
    const own = ["SecurityConfiguration", "Exception"];
    expect(imported.toSorted()).toEqual([...named].filter((name) => !own.includes(name)).toSorted());
  });
});

describe("the recipe of Django, which no test runs", () => {
  it("has the endpoints of Gatehouse, PKCE and the client's algorithm and authentication", () => {
    const values = Object.fromEntries(
      [
        ...write("django", { authMethod: "client_secret_post", idTokenAlg: "ES256" }).matchAll(/^(OIDC_\w+) = (.+)$/gm),
      ].map(([, key = "", value = ""]) => [key, value.replaceAll('"', "")]),
    );
    expect(values).toEqual({
      OIDC_OP_AUTHORIZATION_ENDPOINT: ISSUER + ENGINE_ROUTES.authorization,
      OIDC_OP_TOKEN_ENDPOINT: ISSUER + ENGINE_ROUTES.token,
      OIDC_OP_USER_ENDPOINT: ISSUER + ENGINE_ROUTES.userinfo,
      OIDC_OP_JWKS_ENDPOINT: ISSUER + ENGINE_ROUTES.jwks,
      OIDC_RP_CLIENT_ID: "desk",
      OIDC_RP_CLIENT_SECRET: "os.environ[CLIENT_SECRET]",
      OIDC_RP_SCOPES: "openid profile email",
      OIDC_RP_SIGN_ALGO: "ES256",
      OIDC_TOKEN_USE_BASIC_AUTH: "False",
      OIDC_USE_PKCE: "True",
    });
  });

  it("replaces the default that finds users by their e-mail address", () => {
    const code = write("django");
    expect(code).toContain('AUTHENTICATION_BACKENDS = ["oidc.SubjectBackend"]');
    expect(code).toContain('self.UserModel.objects.filter(username=claims["sub"])');
    expect(code).toContain('create_user(claims["sub"]');
  });
});

describe("the recipes", () => {
  it("of docs/clients.md are those that the command prints", async () => {
    expect(await generateClientRecipes(ROOT, { check: true })).toEqual([]);
  });

  it.each(SNIPPETS.filter((kind) => kind !== "curl"))(
    "of %s find users by sub, never by the e-mail address",
    (kind) => {
      const code = write(kind, { authMethod: kind === "oidc-client-ts" ? "none" : "client_secret_basic" });
      expect(code).toMatch(/\bsub\b/);
      expect(code).toMatch(/never by the e-mail address|Finds users by sub/);
    },
  );
});
