import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { BaseContext, OpenDatabase } from "#app/context.server.ts";
import { insertSigningKey, listSigningKeys } from "#app/db/repositories/signing-keys.server.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import { ROOT } from "./source-tree.ts";

const FOLDER = join(ROOT, ".cache/test-databases");
const FILE = join(FOLDER, "signing-keys.json");

const keysSchema = z.array(
  z.object({ kid: z.string(), alg: z.enum(["RS256", "ES256"]), state: z.enum(["current", "next"]), jwk: z.string() }),
);

/** Gives a new server the keys of an earlier test server, because generating two RSA keys takes half a second. */
export async function giveSigningKeys({
  store,
  config,
  clock,
}: Pick<OpenDatabase, "store" | "config" | "clock">): Promise<void> {
  if (!existsSync(FILE)) return;
  const secrets = createSecrets({ secretKeys: config.secretKeys, epoch: 0 });
  const now = clock.now();
  for (const { jwk, ...key } of keysSchema.parse(JSON.parse(readFileSync(FILE, "utf8")))) {
    const sealedJwk = await secrets.seal("signing-key", jwk);
    const activatedAt = key.state === "current" ? now : null;
    await insertSigningKey(store, { ...key, sealedJwk, createdAt: now, activatedAt, retiredAt: null });
  }
}

/** Keeps the keys of a new server for `giveSigningKeys`. Of simultaneous processes, the last one wins. */
export async function keepSigningKeys({ store, secrets }: BaseContext): Promise<void> {
  if (existsSync(FILE)) return;
  const keys = (await listSigningKeys(store)).map(async ({ kid, alg, state, sealedJwk }) => ({
    kid,
    alg,
    state,
    jwk: await secrets.open("signing-key", sealedJwk),
  }));
  mkdirSync(FOLDER, { recursive: true });
  const unfinished = join(FOLDER, `${randomBytes(8).toString("hex")}.json`);
  writeFileSync(unfinished, JSON.stringify(await Promise.all(keys)));
  renameSync(unfinished, FILE);
}
