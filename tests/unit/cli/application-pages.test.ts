import { describe, expect, it } from "vitest";
import { z } from "zod";
import { mayRegisterUri } from "#app/domain/client/redirect-uri.ts";
import { findScope } from "#app/domain/scope/scopes.ts";
import { ENGINE_ROUTES } from "#app/oidc/paths.ts";
import { ROOT, readText } from "#tests/support/source-tree.ts";
import { ISSUER } from "../../../scripts/applications/application.ts";
import { APPLICATIONS } from "../../../scripts/applications/applications.ts";
import { generateApplicationPages } from "../../../scripts/generate-application-pages.ts";
import { createInstallation } from "./terminal.ts";

const shown = z.object({
  client_id: z.string(),
  redirect_uris: z.array(z.string()),
  scopes: z.array(z.string()),
  auth_method: z.string(),
  require_pkce: z.boolean(),
  post_logout_redirect_uris: z.array(z.string()),
  backchannel_logout_uri: z.string().nullable(),
});

const cases = APPLICATIONS.map((application) => ({
  application,
  id: application.id,
  page: readText(`docs/applications/${application.id}.md`),
}));

/** Returns the words of a command in a page. A backslash at the end of a line continues it, quotes group words. */
function wordsOf(page: string): string[] {
  const [, command = ""] = /^```sh\ngatehouse (client add .*?)\n```$/ms.exec(page) ?? [];
  const words = command.replaceAll("\\\n", " ").matchAll(/"([^"]*)"|(\S+)/g);
  return [...words].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

/** Returns the settings of the application in its page. */
function settingsOf(page: string): string {
  return page.slice(page.indexOf("## Settings of"), page.indexOf("## Users are found"));
}

describe("the pages of docs/applications", () => {
  it("are generated from the table", async () => {
    expect(await generateApplicationPages(ROOT, { check: true })).toEqual([]);
  });

  it("are linked from docs/clients.md", () => {
    const linked = [...readText("docs/clients.md").matchAll(/\]\(applications\/([a-z0-9-]+)\.md\)/g)].map(
      ([, id]) => id,
    );
    expect([...new Set(linked)].toSorted()).toEqual(APPLICATIONS.map(({ id }) => id).toSorted());
  });

  it.each(cases)("register a client that Gatehouse accepts: $id", async ({ application: { client }, id, page }) => {
    const { gatehouse } = await createInstallation();
    const added = await gatehouse(wordsOf(page));
    expect(added).toMatchObject({ exitCode: 0 });
    expect(shown.parse((await gatehouse(["client", "show", id, "--json"])).json())).toEqual({
      client_id: id,
      redirect_uris: client.redirectUris,
      scopes: client.scopes,
      auth_method: client.authMethod,
      require_pkce: client.sendsPkce,
      post_logout_redirect_uris: client.postLogoutRedirectUris ?? [],
      backchannel_logout_uri: client.backchannelLogoutUri ?? null,
    });
  });

  it.each(cases)("have redirect URIs for the kind of client, and known scopes: $id", ({ application: { client } }) => {
    const { redirectUris, postLogoutRedirectUris = [], scopes } = client;
    const kind = { public: client.authMethod === "none", redirectUris, postLogoutRedirectUris };
    const uris = [...redirectUris, ...postLogoutRedirectUris];
    expect(uris.filter((uri) => !mayRegisterUri(kind, uri))).toEqual([]);
    expect(scopes.filter((scope) => findScope(scope) === null)).toEqual([]);
  });

  it.each(cases)("request the registered scopes, as the registered client: $id", ({ application, id, page }) => {
    const settings = settingsOf(page);
    // Vaultwarden and Proxmox VE add `openid` themselves.
    const missing = application.client.scopes.filter((scope) => scope !== "openid" && !settings.includes(scope));
    expect(missing).toEqual([]);
    expect(settings).toContain(id);
    expect(settings).toContain(ISSUER);
  });

  it.each(cases)("name addresses of Gatehouse that exist: $id", ({ page }) => {
    const paths = [...page.matchAll(/https:\/\/login\.example\.com(\/[\w./-]*)/g)].map(([, path]) => path);
    const known = ["/.well-known/openid-configuration", ...Object.values(ENGINE_ROUTES)];
    expect(paths.filter((path) => !known.some((route) => route === path))).toEqual([]);
  });

  it.each(cases)("find users by sub, and state their versions: $id", ({ application, page }) => {
    expect(application.users).toMatch(/\bsub\b/);
    expect(application.users).toMatch(/e-mail address|email/);
    const text = page.replaceAll("\n", " ");
    expect(text).toContain(`For ${application.version}. The settings were compiled from`);
    expect(text).toContain("but do not run the application.");
  });

  it("switch off what finds users by their e-mail address", () => {
    const settings = Object.fromEntries(cases.map(({ id, page }) => [id, settingsOf(page)]));
    expect(settings["grafana"]).toContain("oauth_allow_insecure_email_lookup = false");
    expect(settings["nextcloud"]).toContain("--unique-uid=1 --mapping-uid=sub");
    expect(settings["oauth2-proxy"]).toContain('oidc_email_claim = "sub"');
    expect(settings["paperless-ngx"]).toContain('"uid_field":"sub","email_authentication":false');
    expect(settings["proxmox-ve"]).toContain("--username-claim sub");
    expect(settings["synology-dsm"]).toContain("| Username claim | `sub` |");
    expect(settings["vaultwarden"]).toContain("SSO_SIGNUPS_MATCH_EMAIL=false");
    expect(settings["zammad"]).toMatch(/\| UID Field \| `sub` \|.*Automatic account link[^|]*\| \*\*no\*\* \|/s);
  });

  it("contain the providers of Paperless-ngx as JSON in one line", () => {
    const page = readText("docs/applications/paperless-ngx.md");
    const [, json = ""] = /^PAPERLESS_SOCIALACCOUNT_PROVIDERS=(.*)$/m.exec(page) ?? [];
    expect(JSON.parse(json)).toHaveProperty("openid_connect.APPS.0.client_id", "paperless-ngx");
  });
});
