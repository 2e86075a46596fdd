import type { Installation } from "./installation.ts";

/** Renames the table of clients meanwhile, so that requests that need it fail with a database error. */
export function withoutClients(installation: Pick<Installation, "server">, happens: () => Promise<void>) {
  return withoutTable(installation, "clients", happens);
}

/** Renames the audit trail meanwhile: its page in the settings fails, and so does every change that is recorded. */
export function withoutAuditTrail(installation: Pick<Installation, "server">, happens: () => Promise<void>) {
  return withoutTable(installation, "audit_events", happens);
}

/** Renames the table of users meanwhile: header and navigation of the settings fail, too. */
export function withoutUsers(installation: Pick<Installation, "server">, happens: () => Promise<void>) {
  return withoutTable(installation, "users", happens);
}

async function withoutTable(
  { server }: Pick<Installation, "server">,
  table: string,
  happens: () => Promise<void>,
): Promise<void> {
  const { store } = server.context;
  await store.execute(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  try {
    await happens();
  } finally {
    await store.execute(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  }
}
