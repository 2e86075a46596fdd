import { describe, expect, it } from "vitest";
import { findOverview, findUserInfo } from "#app/domain/account/overview.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { dialects } from "#tests/support/databases.ts";
import { openedSettings, openSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { countingStore } from "#tests/unit/domain/fixtures.ts";
import { putUserWithApp } from "#tests/unit/domain/second-factor/sign-in-fixtures.ts";

describe.each(dialects)("the overview on %s", (dialect) => {
  it("returns name, password, factors and connected accounts in three statements", async () => {
    const { parts: deps, store, user, access } = await openedSettings(dialect);
    const fields = {
      id: "link-1",
      userId: user.id,
      provider: "google",
      issuer: "https://a.example",
      subject: "1",
    } as const;
    const linkedAt = deps.clock.now();
    await store.q
      .insert(store.t.externalAccounts)
      .values({ ...fields, groupKey: "", name: "anna@mail.example", linkedAt });
    const { store: counted, counts } = countingStore(store);
    const returnToUrl = "https://suite.example/";
    expect(await findOverview({ store: counted }, { ...access, returnToUrl })).toEqual({
      ...{ userId: user.id, username: "anna", displayName: "anna", picture: null, hasMail: true, returnToUrl },
      locale: null,
      ...{ email: "anna@office.example", emailVerified: false, phone: null },
      hasPassword: true,
      passwordSetAt: user.passwordSetAt,
      passwordResetUnseen: false,
      factors: { totp: false, securityKeys: 0, passkeys: 0, recoveryCodesLeft: 0 },
      isProtected: false,
      accounts: { google: { id: "link-1", name: "anna@mail.example" }, microsoft: null, apple: null },
    });
    expect(counts.statements).toBe(3);
  });

  it("shows a second factor, and a user without a password", async () => {
    const { parts: deps } = await openedSettings(dialect);
    const { user } = await putUserWithApp(deps, "berta");
    const overview = await findOverview(deps, await openSettings(deps, user));
    expect(overview).toMatchObject({ hasPassword: false, passwordSetAt: null, isProtected: true });
  });

  it("is null once the access ended", async () => {
    const { parts: deps, user, access } = await openedSettings(dialect);
    expect(await findUserInfo(deps, access)).toMatchObject({ userId: user.id, username: "anna" });
    await blockUser(deps, user.username);
    expect(await findOverview(deps, access)).toBeNull();
    expect(await findUserInfo(deps, access)).toBeNull();
  });
});
