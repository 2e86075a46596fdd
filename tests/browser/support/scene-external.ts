import type { Provider } from "#app/domain/external-account/providers.ts";
import { freePort } from "#tests/support/free-port.ts";
import { startUpstream, type TestUpstream } from "#tests/support/upstream.ts";
import { openScene, type Scene, type Visit } from "./scene.ts";

/** The scene with three configured providers. */
export type ExternalScene = Scene & { upstream: Readonly<Record<Provider, TestUpstream>> };

export type ExternalVisit = ExternalScene & Visit;

export async function openExternalScene(): Promise<ExternalScene> {
  const port = await freePort();
  const appUrl = `http://localhost:${port}`;
  const [google, microsoft, apple] = await Promise.all([
    startUpstream("google", { appUrl }),
    startUpstream("microsoft", { appUrl }),
    startUpstream("apple", { appUrl }),
  ]);
  const all = [google, microsoft, apple];
  const scene = await openScene({
    env: { ISSUER: appUrl, PORT: String(port), ...google.env, ...microsoft.env, ...apple.env },
  });
  return {
    ...scene,
    upstream: { google, microsoft, apple },
    others: all.map(({ issuer }) => issuer),
    async close() {
      await scene.close();
      await Promise.all(all.map((one) => one.close()));
    },
  };
}
