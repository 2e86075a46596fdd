import { expect, it, onTestFinished } from "vitest";
import { startChildServer } from "#tests/support/child-server.ts";
import { freePort } from "#tests/support/free-port.ts";
import { runProgram } from "./crash/command.ts";

it("serve exits with 0 on SIGTERM; a second server on the same file exits with 5", async () => {
  const server = await startChildServer();
  onTestFinished(() => server.remove());
  const port = String(await freePort());
  const env = { ...server.env, PORT: port, ISSUER: `http://localhost:${port}` };
  const second = await runProgram(env, ["serve"]);
  expect(second.code).toBe(5);
  expect(second.stderr).toContain("Another server is running");
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
});
