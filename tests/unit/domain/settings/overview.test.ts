import { describe, expect, it } from "vitest";
import { findOverview, findUserInfo } from "#app/domain/settings/overview.server.ts";
import { blockUser } from "#app/domain/user/block.server.ts";
import { dialects } from "#tests/support/databases.ts";
import { countingStore } from "#tests/unit/domain/parts.ts";
import { putAppOwner } from "#tests/unit/domain/second-factor/second-step.ts";
import { openedSettings, openSettings } from "./opened.ts";

describe.each(dialects)("the overview on %s", (dialect) => {
  it("tells name, password, factors and connected accounts in three statements", async () => {
    const { parts, store, user, access } = await openedSettings(dialect);
    const facts = {
      id: "link-1",
      userId: user.id,
      provider: "google",
      issuer: "https://a.example",
      subject: "1",
    } as const;
    const linkedAt = parts.clock.now();
    await store.q
      .insert(store.t.externalAccounts)
      .values({ ...facts, groupKey: "", name: "anna@mail.example", linkedAt });
    const { store: counted, counts } = countingStore(store);
    const returnToUrl = "https://suite.example/";
    expect(await findOverview({ store: counted }, { ...access, returnToUrl })).toEqual({
      ...{ userId: user.id, username: "anna", displayName: "anna", picture: null, returnToUrl },
      hasPassword: true,
      passwordSetAt: user.passwordSetAt,
      passwordResetUnseen: false,
      factors: { totp: false, securityKeys: 0, recoveryCodesLeft: 0 },
      isProtected: false,
      accounts: { google: { id: "link-1", name: "anna@mail.example" }, microsoft: null, apple: null },
    });
    expect(counts.statements).toBe(3);
  });

  it("knows a second factor, and a person without a password", async () => {
    const { parts } = await openedSettings(dialect);
    const { user } = await putAppOwner(parts, "berta");
    const overview = await findOverview(parts, await openSettings(parts, user));
    expect(overview).toMatchObject({ hasPassword: false, passwordSetAt: null, isProtected: true });
  });

  it("is none once the access ended", async () => {
    const { parts, user, access } = await openedSettings(dialect);
    expect(await findUserInfo(parts, access)).toMatchObject({ userId: user.id, username: "anna" });
    await blockUser(parts, user.username);
    expect(await findOverview(parts, access)).toBeNull();
    expect(await findUserInfo(parts, access)).toBeNull();
  });
});
