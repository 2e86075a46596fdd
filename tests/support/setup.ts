// Runs before each test file; a worker runs many files with the same modules.
import { afterAll, afterEach, beforeEach, vi } from "vitest";
import { startCounting } from "./counts.ts";
import { forgetSecrets } from "./sent-secrets.ts";
import { forbidNetwork, openHandles, reportOpenHandles, watchConsole } from "./unexpected.ts";

/** Time for servers and child processes to close after the last test of a file. */
const CLOSING_MS = 2_000;

forgetSecrets();
// A file whose set-up failed has failed for the servers that it left open.
reportOpenHandles();
const noise = watchConsole();
const network = forbidNetwork(databaseHosts());

// vitest passes it to scripts/timings.mjs after the last hook of the file.
const counts = startCounting();
beforeEach(({ task }) => {
  Object.assign(task.file.meta, { counts });
});

afterEach(failOnUnexpected);

// Registered first, so it runs after the hooks of the test file.
afterAll(async () => {
  // A test that failed may have left the clock stopped.
  vi.useRealTimers();
  failOnUnexpected();
  const deadline = performance.now() + CLOSING_MS;
  while (openHandles().length > 0 && performance.now() < deadline) {
    await new Promise((wake) => setTimeout(wake, 20));
  }
  const held = openHandles();
  reportOpenHandles();
  if (held.length > 0) throw new Error(`still open after the tests: ${held.join(", ")}`);
});

function failOnUnexpected() {
  const lines = [...noise.take(), ...network.take()];
  if (lines.length > 0) throw new Error(`unexpected output or network access:\n${lines.join("\n")}`);
}

function databaseHosts() {
  return [process.env.GATEHOUSE_TEST_POSTGRES].flatMap((url) =>
    url?.startsWith("postgres") ? [new URL(url).hostname] : [],
  );
}
