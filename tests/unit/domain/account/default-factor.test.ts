import { describe, expect, it } from "vitest";
import { findUser } from "#app/db/repositories/users.server.ts";
import { chooseDefaultFactor } from "#app/domain/account/default-factor.server.ts";
import { findFactors } from "#app/domain/factor/factors.server.ts";
import { removeOwnTotp } from "#app/domain/totp/own-totp.server.ts";
import { dialects } from "#tests/support/databases.ts";
import { METADATA, openedSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { keyOf } from "#tests/unit/domain/second-factor/key-fixtures.ts";

describe.each(dialects)("the default factor on %s", (dialect) => {
  it("is never a factor that is removed at the same moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { parts: deps, store, user, access } = await openedSettings(dialect);
      await keyOf(store, user.id);
      const totp = { userId: user.id, sealedSecret: await deps.secrets.seal("totp", "SECRET"), lastStep: 0 };
      await store.q.insert(store.t.totpCredentials).values({ ...totp, createdAt: deps.clock.now() });
      const [chosen, removed] = await Promise.all([
        chooseDefaultFactor(deps, access, "totp"),
        removeOwnTotp(deps, access, METADATA),
      ]);
      expect(["done", "unauthorized"]).toContain(chosen.kind);
      expect(removed).toEqual({ kind: "done" });
      expect(await findFactors(store, user.id)).toMatchObject({ totp: false, securityKeys: 1 });
      expect((await findUser(store, user.id))?.defaultFactor).toBeNull();
    }
  });

  it("is refused for settings that have ended", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    await keyOf(store, user.id);
    const ended = { ...access, generation: access.generation - 1 };
    expect(await chooseDefaultFactor(deps, ended, "fido2")).toEqual({ kind: "unauthorized" });
    expect(await chooseDefaultFactor(deps, access, "fido2")).toEqual({ kind: "no choice" });
  });
});
