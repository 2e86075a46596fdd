// Opens a database as a server and keeps it open. Started and killed by sqlite.test.ts.
import { migrateStore } from "#app/db/migrations.server.ts";
import { openStore } from "#app/db/store.server.ts";

const [file] = process.argv.slice(2);
if (!file) throw new Error("usage: hold-store FILE");
const store = await openStore({ dialect: "sqlite", file }, { server: true });
await migrateStore(store);
process.stdout.write("holding\n");
setInterval(() => {}, 1000);
