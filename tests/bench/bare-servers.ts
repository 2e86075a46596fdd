import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "#tests/support/free-port.ts";
import { type Server, startServer } from "./bench.ts";
import type { HttpClient } from "./http-client.ts";
import type { Program } from "./measured-process.ts";
import { BUNDLES } from "./references.ts";
import type { Application, Service } from "./sign-in-flow.ts";

const LOG = "references.log";

/** Returns the program of oidc-provider alone. */
export function bareProvider(folder: string, url: URL, application: Application): Program {
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    NODE_ENV: "production",
    ISSUER: url.origin,
    PORT: url.port,
    DATABASE_FILE: join(folder, "provider.sqlite"),
    CLIENT_ID: application.clientId,
    CLIENT_SECRET: application.clientSecret,
    REDIRECT_URI: application.redirectUri,
  };
  return { file: join(BUNDLES, "bare-provider.js"), env, logFile: join(folder, LOG) };
}

/** Signs in the posted user name without a check. */
function bareService(issuer: URL, application: Application): Service {
  return {
    issuer,
    authorizationPath: "/auth",
    tokenPath: "/token",
    application,
    identify: (browser, page, { username }) => browser.post(page, { login: username }),
  };
}

/** Starts oidc-provider alone. */
export async function startBareProvider(
  http: HttpClient,
  folder: string,
  application: Application,
): Promise<Server & { service: Service }> {
  const url = new URL(`http://localhost:${await freePort()}`);
  const server = await startServer(http, url, bareProvider(folder, url, application));
  return { ...server, service: bareService(url, application) };
}

/** Starts Express with a React page of the same markup. */
export async function startBarePage(http: HttpClient, folder: string, html: string): Promise<Server> {
  const file = join(folder, "page.html");
  writeFileSync(file, html);
  const url = new URL(`http://localhost:${await freePort()}`);
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, NODE_ENV: "production" };
  const program = { file: join(BUNDLES, "bare-page.js"), args: [url.port, file], env, logFile: join(folder, LOG) };
  return startServer(http, url, program);
}
