import type { Installation } from "./installation.ts";

/** Renames the table of clients meanwhile, so that requests that need it fail with a database error. */
export async function withoutClients(
  { server }: Pick<Installation, "server">,
  happens: () => Promise<void>,
): Promise<void> {
  const { store } = server.context;
  await store.execute("ALTER TABLE clients RENAME TO clients_away");
  try {
    await happens();
  } finally {
    await store.execute("ALTER TABLE clients_away RENAME TO clients");
  }
}
