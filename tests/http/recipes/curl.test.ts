import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seedTokens, signIn } from "#tests/http/oidc/browser-steps.ts";
import { codeOf } from "#tests/http/oidc/responses.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { startServer, type TestServer, type TestUser } from "#tests/support/server.ts";
import { createRecipe } from "./recipe.ts";

let server: TestServer;
let anna: TestUser;

beforeAll(async () => {
  server = await startServer({ now: "running" });
  anna = await server.users.create();
});

afterAll(() => server?.close());

/** Pastes the commands into bash, which reads the answers from standard input. */
function paste(code: string) {
  const bash = spawn("bash", ["-euc", code], { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  const printed = new Promise<string>((resolve) => {
    bash.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      const [address] = /^http\S+\/oauth2\/auth\?\S+$/m.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
  const ended = once(bash, "exit").then(([exitCode]: number[]) => ({ exitCode, output }));
  return { answer: (text: string) => void bash.stdin.write(`${text}\n`), printed, ended };
}

test("curl, openssl and bash are installed", () => {
  for (const program of ["curl", "openssl", "bash"]) execFileSync("sh", ["-c", `command -v ${program}`]);
});

test.each([
  ["client_secret_basic", { authMethod: "client_secret_basic" }],
  ["client_secret_post", { authMethod: "client_secret_post" }],
  ["none", { public: true }],
] as const)("the recipe of curl signs a user in with %s, and reads the claims", async (_name, input) => {
  const { code, clientSecret } = await createRecipe(server, "curl", input);
  const { answer, printed, ended } = paste(code);
  if (clientSecret !== "") answer(clientSecret);
  const url = await printed;
  const parameters = Object.fromEntries(new URL(url).searchParams);
  const sent = { url, parameters, state: "", nonce: "", verifier: "" };
  answer(codeOf(await signIn(server.browser(), sent, anna)));
  const { exitCode, output } = await ended;
  expect(exitCode).toBe(0);
  const claims: unknown = JSON.parse(output.slice(output.lastIndexOf("{")));
  expect(claims).toMatchObject({ sub: anna.id, name: anna.displayName });
  expect(output).not.toContain(clientSecret || "client_secret");
});

test("the recipe of curl for a resource server introspects a token of another client", async () => {
  const client = await server.clients.create({ firstParty: true });
  const party = createRelyingParty({ issuer: server.url, client });
  const { accessToken } = await seedTokens(server, server.browser(), party, party.request(), anna);
  const { code, clientSecret } = await createRecipe(server, "curl", { redirectUris: [], mayIntrospect: true });
  const { answer, ended } = paste(code);
  answer(clientSecret);
  answer(accessToken);
  const { output } = await ended;
  expect(JSON.parse(output)).toMatchObject({ active: true, sub: anna.id, client_id: client.clientId });
});
