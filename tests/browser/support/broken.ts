import type { Office } from "./office.ts";

/** Takes the table of applications away while something happens: whoever needs one meets a defect of the database. */
export async function withoutClients({ server }: Pick<Office, "server">, happens: () => Promise<void>): Promise<void> {
  const { store } = server.context;
  await store.execute("ALTER TABLE clients RENAME TO clients_away");
  try {
    await happens();
  } finally {
    await store.execute("ALTER TABLE clients_away RENAME TO clients");
  }
}
