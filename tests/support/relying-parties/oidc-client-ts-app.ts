import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import express, { type Express } from "express";

const require = createRequire(import.meta.url);

/**
 * Creates a public browser client built on oidc-client-ts: code flow with PKCE, token request from the page, userinfo,
 * logout. The library stores its state in session storage.
 */
export function createOidcClientTsApp({
  issuer,
  url,
  clientId,
}: Record<"issuer" | "url" | "clientId", string>): Express {
  const script = readFileSync(
    require.resolve("oidc-client-ts").replace(/dist\/.*$/, "dist/browser/oidc-client-ts.min.js"),
  );
  const settings = {
    authority: issuer,
    client_id: clientId,
    redirect_uri: `${url}/callback`,
    post_logout_redirect_uri: `${url}/signed-out`,
    response_type: "code",
    scope: "openid profile email",
    loadUserInfo: true,
    automaticSilentRenew: false,
  };
  const app = express();
  app.get("/oidc-client.js", (_request, reply) => void reply.type("js").send(script));
  app.get("/app.js", (_request, reply) => void reply.type("js").send(appScript(settings)));
  app.get(["/", "/callback", "/signed-out"], (_request, reply) => void reply.send(PAGE));
  return app;
}

const PAGE = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Pocket desk</title><link rel="icon" href="data:,"></head>
<body>
<h1>Pocket desk</h1>
<p id="state"></p>
<pre id="profile"></pre>
<button id="sign-in">Sign in</button>
<button id="sign-out">Sign out</button>
<script src="/oidc-client.js"></script>
<script src="/app.js"></script>
</body>
</html>
`;

function appScript(settings: Readonly<Record<string, unknown>>): string {
  return `
const manager = new oidc.UserManager(${JSON.stringify(settings)});
const tell = (text) => { document.getElementById("state").textContent = text; };
async function begin() {
  if (location.pathname === "/callback") {
    await manager.signinCallback();
    history.replaceState(null, "", "/");
  }
  if (location.pathname === "/signed-out") {
    await manager.signoutCallback();
    return tell("signed out");
  }
  const user = await manager.getUser();
  if (!user) return tell("nobody");
  document.getElementById("profile").textContent = JSON.stringify({ ...user.profile, scope: user.scope });
  tell("signed in");
}
document.getElementById("sign-in").onclick = () => manager.signinRedirect();
document.getElementById("sign-out").onclick = () => manager.signoutRedirect();
begin().catch((error) => tell("failed: " + error.message));
`;
}
