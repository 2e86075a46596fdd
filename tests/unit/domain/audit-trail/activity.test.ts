import { describe, expect, it } from "vitest";
import { ACTIVITY_KINDS } from "#app/domain/audit/event-definition.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { EVENTS_PER_PAGE, findLastSignIn, listOwnActivity } from "#app/domain/audit-trail/activity.server.ts";
import { type Dialect, dialects } from "#tests/support/databases.ts";
import { openedSettings } from "#tests/unit/domain/access/settings-fixtures.ts";
import { countingStore, putUser } from "#tests/unit/domain/fixtures.ts";

/** Opens Anna's settings after `count` events each of Anna and Berta. */
async function settings(dialect: Dialect, count: number) {
  const { parts: deps, user, access, store } = await openedSettings(dialect);
  const berta = await putUser(store, { username: "berta" });
  const userAgent = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) Safari/605.1";
  for (let n = 0; n < count; n += 1) {
    const event = {
      type: "sign-in.succeeded",
      outcome: "ok",
      reason: `${n}`,
      address: "192.0.2.9",
      userAgent,
    } as const;
    await recordEvent(deps, { ...event, userId: user.id });
    await recordEvent(deps, { ...event, userId: berta.id });
    deps.clock.advance(1);
  }
  return { parts: deps, access };
}

describe.each(dialects)("the activity of a user on %s", (dialect) => {
  it("is paged, newest first, and contains no events of others", async () => {
    const { parts: deps, access } = await settings(dialect, 2 * EVENTS_PER_PAGE + 1);
    const reasons: (string | null)[] = [];
    const sizes: number[] = [];
    let before: number | null = null;
    do {
      const page = await listOwnActivity(deps, access, { before, kind: null });
      reasons.push(...page.events.map(({ reason }) => reason));
      sizes.push(page.events.length);
      before = page.next;
    } while (before !== null);
    expect(sizes).toEqual([EVENTS_PER_PAGE, EVENTS_PER_PAGE, 1]);
    expect(reasons).toEqual(Array.from({ length: 2 * EVENTS_PER_PAGE + 1 }, (_, n) => `${2 * EVENTS_PER_PAGE - n}`));
  });

  it("contains time, browser and address; a full last page has no next", async () => {
    const { parts: deps, access } = await settings(dialect, EVENTS_PER_PAGE);
    const { events, next } = await listOwnActivity(deps, access, { before: null, kind: null });
    expect(next).toBeNull();
    expect(events.at(-1)).toEqual({
      ...{ at: new Date("2026-03-02T08:00:15.000Z"), type: "sign-in.succeeded", outcome: "ok", reason: "0" },
      ...{
        browser: { name: "Safari", system: "macOS" },
        address: "192.0.2.9",
        client: null,
        isNewBrowser: false,
        actor: null,
      },
    });
  });

  it("names the browser of a long user agent, which ends with the name", async () => {
    const { parts: deps, access } = await settings(dialect, 0);
    const system = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)";
    const userAgent = `${system} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`;
    await recordEvent(deps, { type: "sign-in.succeeded", outcome: "ok", userId: access.userId, userAgent });
    const { events } = await listOwnActivity(deps, access, { before: null, kind: null });
    expect(events).toMatchObject([{ browser: { name: "Edge", system: "Windows" } }]);
  });

  it("contains an administrator's actions, without browser and address", async () => {
    const { parts: deps, access } = await settings(dialect, 0);
    await recordEvent(deps, { type: "user.password-set", outcome: "ok", userId: access.userId });
    const { events } = await listOwnActivity(deps, access, { before: null, kind: null });
    expect(events).toMatchObject([{ reason: null, browser: { name: null, system: null }, address: null }]);
  });

  it("has a last sign-in, found by one statement; other events and other users' sign-ins are none", async () => {
    const { parts: deps, access } = await settings(dialect, 2);
    const at = new Date(deps.clock.now().getTime() - 1000);
    await recordEvent(deps, { type: "sign-in.refused", outcome: "refused", userId: access.userId });
    const { store: counted, counts } = countingStore(deps.store);
    const browser = { name: "Safari", system: "macOS" };
    expect(await findLastSignIn({ store: counted }, access)).toEqual({ at, browser });
    expect(counts.statements).toBe(1);
    const carla = await putUser(deps.store, { username: "carla" });
    expect(await findLastSignIn(deps, { ...access, userId: carla.id })).toBeNull();
  });

  it("is limited to a kind of events, and pages within it", async () => {
    const { parts: deps, access } = await settings(dialect, 3);
    await recordEvent(deps, { type: "password.refused", outcome: "refused", userId: access.userId });
    const kinds = await Promise.all(
      ACTIVITY_KINDS.map(async (kind) => (await listOwnActivity(deps, access, { before: null, kind })).events.length),
    );
    expect(kinds).toEqual([3, 1, 0, 0]);
  });
});
