import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { createRecipe } from "./recipe.ts";

/** In the repository, so that the sample code finds openid-client. */
const FOLDER = join(ROOT, ".cache/recipes");

const started = z.object({ signInUrl: z.instanceof(URL), state: z.string() });
const finished = z.object({ claims: z.looseObject({ sub: z.string() }) });

let server: TestServer;
let anna: TestUser;

beforeAll(async () => {
  server = await startServer({ now: "running" });
  anna = await server.users.create();
  mkdirSync(FOLDER, { recursive: true });
});

afterAll(async () => {
  rmSync(FOLDER, { recursive: true, force: true });
  await server.close();
});

test.each([
  ["client_secret_basic", { authMethod: "client_secret_basic" }],
  ["client_secret_post", { authMethod: "client_secret_post" }],
  ["client_secret_jwt", { authMethod: "client_secret_jwt" }],
  ["none", { public: true }],
  ["client_secret_basic and ES256", { idTokenAlg: "ES256" }],
] as const)("the recipe of openid-client signs a user in with %s, and reads sub and claims", async (name, input) => {
  const { code, clientSecret } = await createRecipe(server, "openid-client", input);
  vi.stubEnv("CLIENT_SECRET", clientSecret);
  const file = join(FOLDER, `${name}.mjs`);
  writeFileSync(file, code);
  const recipe = await import(pathToFileURL(file).href);
  const request = await recipe.startSignIn();
  const { signInUrl } = started.parse(request);
  const parameters = Object.fromEntries(signInUrl.searchParams);
  const sent = { url: signInUrl.href, parameters, state: "", nonce: "", verifier: "" };
  const { location } = await signIn(server.browser(), sent, anna);
  const { claims } = finished.parse(await recipe.finishSignIn(location, request));
  expect(claims).toMatchObject({ sub: anna.id, name: anna.displayName });
});
