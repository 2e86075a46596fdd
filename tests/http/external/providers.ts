import { afterAll } from "vitest";
import type { Provider } from "#app/config/providers.ts";
import { addExternalAccount } from "#app/db/repositories/external-accounts.server.ts";
import { findUser } from "#app/db/repositories/users.server.ts";
import type { ExternalAccount } from "#app/db/schema.server.ts";
import { newId } from "#app/domain/base/new-id.server.ts";
import type { FakeProviderUser } from "#demo/fake-provider/types.ts";
import { freePort } from "#tests/support/free-port.ts";
import { startServer, type TestServer } from "#tests/support/server.ts";
import { startUpstream, type TestUpstream } from "#tests/support/upstream.ts";

export type ExternalSetup = {
  server: TestServer;
  upstream: Readonly<Record<Provider, TestUpstream>>;
  close(): Promise<void>;
};

/** Starts the product with three fake providers for the tests of this file, with `await` at the top of the file. */
export async function providersOfFile(env?: Record<string, string>): Promise<ExternalSetup> {
  const setup = await startWithProviders(env);
  afterAll(() => setup.close());
  return setup;
}

/** Starts the product with three fake providers. */
export async function startWithProviders(env: Record<string, string> = {}): Promise<ExternalSetup> {
  const port = await freePort();
  const appUrl = `http://localhost:${port}`;
  const start = (name: Provider) => startUpstream(name, { appUrl });
  const [google, microsoft, apple] = [await start("google"), await start("microsoft"), await start("apple")];
  const server = await startServer({
    env: { ISSUER: appUrl, PORT: String(port), ...google.env, ...microsoft.env, ...apple.env, ...env },
  });
  return {
    server,
    upstream: { google, microsoft, apple },
    async close() {
      await server.close();
      await Promise.all([google.close(), microsoft.close(), apple.close()]);
    },
  };
}

let userCount = 0;

/** Adds a new user at the provider. */
export function addProviderUser(upstream: TestUpstream, changes: Partial<FakeProviderUser> = {}): FakeProviderUser {
  userCount += 1;
  const user = {
    sub: `${upstream.name}-${userCount}`,
    name: `Eva Brandt ${userCount}`,
    email: `eva-${userCount}@${upstream.name}.example`,
    email_verified: true,
    ...changes,
  };
  upstream.users.push(user);
  return user;
}

/** Links a provider's account to a user, like the settings. */
export async function connect(
  { context }: { context: Pick<TestServer["context"], "store" | "random" | "clock"> },
  upstream: TestUpstream,
  { sub }: Pick<FakeProviderUser, "sub">,
  userId: string,
  changes: Partial<ExternalAccount> = {},
): Promise<void> {
  const user = await findUser(context.store, userId);
  const { name: provider, issuer } = upstream;
  const added = await addExternalAccount(context.store, {
    id: newId(context.random),
    userId,
    provider,
    issuer,
    subject: sub,
    groupKey: user?.groupId ?? "",
    linkedAt: context.clock.now(),
    ...changes,
  });
  if (!added) throw new Error("not connected");
}
