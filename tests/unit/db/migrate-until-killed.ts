// Migrates a database and prints "begin" and "end". Started and killed by migrations-killed.test.ts.
import { migrateStore } from "#app/db/migrations.server.ts";
import { openStore } from "#app/db/store.server.ts";

const [file, folder] = process.argv.slice(2);
if (!file || !folder) throw new Error("usage: migrate-until-killed FILE FOLDER");
const store = await openStore({ dialect: "sqlite", file });
process.stdout.write("begin\n");
await migrateStore(store, { folder });
process.stdout.write("end\n");
await store.close();
