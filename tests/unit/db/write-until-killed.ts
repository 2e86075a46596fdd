// Writes continuously and prints the id of each acknowledged record. Started and killed by group-commit.test.ts.
import { saveRecord } from "#app/db/repositories/oidc-records.server.ts";
import { openStore } from "#app/db/store.server.ts";

const [file] = process.argv.slice(2);
if (!file) throw new Error("usage: write-until-killed FILE");
const store = await openStore({ dialect: "sqlite", file });

async function write(writer: number): Promise<void> {
  for (let index = 0; ; index++) {
    const id = `${writer}-${index}`;
    if (writer % 2) await saveRecord(store, { model: "AccessToken", id, payload: {} });
    else await store.tx((tx) => saveRecord(tx, { model: "AccessToken", id, payload: {} }));
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
