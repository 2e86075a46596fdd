import type { Provider } from "#app/config/providers.ts";
import { freePort } from "#tests/support/free-port.ts";
import { startUpstream, type TestUpstream } from "#tests/support/upstream.ts";
import { createPageSetup, type PageSetup, type Visit } from "./page-setup.ts";
import { REMEMBER_DAYS } from "./states-second-factor.ts";

/** The scene with three configured providers, on a server that remembers devices. */
export type ExternalSetup = PageSetup & { upstream: Readonly<Record<Provider, TestUpstream>> };

export type ExternalVisit = ExternalSetup & Visit;

export async function createExternalSetup(): Promise<ExternalSetup> {
  const port = await freePort();
  const appUrl = `http://localhost:${port}`;
  const [google, microsoft, apple] = await Promise.all([
    startUpstream("google", { appUrl }),
    startUpstream("microsoft", { appUrl }),
    startUpstream("apple", { appUrl }),
  ]);
  const all = [google, microsoft, apple];
  const setup = await createPageSetup({
    env: {
      ISSUER: appUrl,
      PORT: String(port),
      MFA_REMEMBER_DAYS: String(REMEMBER_DAYS),
      ...google.env,
      ...microsoft.env,
      ...apple.env,
    },
  });
  return {
    ...setup,
    upstream: { google, microsoft, apple },
    others: all.map(({ issuer }) => issuer),
    async close() {
      await setup.close();
      await Promise.all(all.map((one) => one.close()));
    },
  };
}
