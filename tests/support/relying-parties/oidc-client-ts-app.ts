import { build } from "esbuild";
import express, { type Express } from "express";
import { ROOT } from "#tests/support/source-tree.ts";

/**
 * Creates a public browser client from the recipe of oidc-client-ts (`client snippet`): code flow with PKCE, token
 * request from the page, userinfo, logout. The library stores its state in session storage.
 */
export async function createOidcClientTsApp(recipe: string): Promise<Express> {
  const { outputFiles } = await build({
    stdin: { contents: `${recipe}\n${PAGE_SCRIPT}`, resolveDir: ROOT },
    bundle: true,
    format: "iife",
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  const app = express();
  app.get("/app.js", (_request, reply) => void reply.type("js").send(script));
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
<script src="/app.js"></script>
</body>
</html>
`;

/** Calls the functions of the recipe, and the library where the page only shows a result. */
const PAGE_SCRIPT = `
const tell = (text) => { document.getElementById("state").textContent = text; };
async function begin() {
  if (location.pathname === "/callback") {
    await finishSignIn();
    history.replaceState(null, "", "/");
  }
  if (location.pathname === "/signed-out") {
    await manager.signoutCallback();
    return tell("signed out");
  }
  const user = await currentUser();
  if (!user) return tell("nobody");
  document.getElementById("profile").textContent = JSON.stringify({ ...user.profile, scope: user.scope });
  tell("signed in");
}
document.getElementById("sign-in").onclick = startSignIn;
document.getElementById("sign-out").onclick = signOut;
begin().catch((error) => tell("failed: " + error.message));
`;
