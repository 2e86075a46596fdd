import type { KoaContextWithOIDC } from "oidc-provider";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "#app/db/store.server.ts";
import { createRefusalRecorder } from "#app/oidc/record-refusals.server.ts";
import { createDatabase } from "#tests/support/databases.ts";

it("a refusal that cannot be recorded is logged, and does not change the response", async () => {
  const database = await createDatabase("sqlite");
  onTestFinished(database.remove);
  const store = await openStore(database.target);
  await store.close();
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(line) });
  const recorder = createRefusalRecorder({ store, clock: { now: () => new Date(0) }, log }, () => null);
  // The members that the recorder reads.
  const ctx = { req: {}, oidc: { client: { clientId: "desk" } } } as KoaContextWithOIDC;
  let isHandled = false;
  await recorder.record(ctx, async () => {
    recorder.note(ctx, { cause: "pkce" });
    isHandled = true;
  });
  expect(isHandled).toBe(true);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: 50, event: "client.refused", msg: "a refused request was not recorded" }),
  ]);
});
