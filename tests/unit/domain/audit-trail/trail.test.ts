import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { actingAs } from "#app/db/acting-store.server.ts";
import {
  type AuditFilter,
  appendAuditEvent,
  findLastAuditEvent,
  selectLastAuditEvents,
} from "#app/db/repositories/audit-events.server.ts";
import { recordEvent } from "#app/domain/audit/record.server.ts";
import { verifyAuditChain } from "#app/domain/audit-trail/verify.server.ts";
import { addGroup } from "#app/domain/group/add.server.ts";
import { removeGroup } from "#app/domain/group/remove.server.ts";
import { setGroup } from "#app/domain/group/set.server.ts";
import { grantRole, revokeRole } from "#app/domain/role/grant.server.ts";
import { blockUser, unblockUser } from "#app/domain/user/block.server.ts";
import { endSessionsOfUser } from "#app/domain/user/end-sessions.server.ts";
import { dialects, withStore } from "#tests/support/databases.ts";
import { openedSettings } from "#tests/unit/domain/access/settings-fixtures.ts";

const HELGA = { userId: "helga", username: "helga.brandt" };
const NOTHING = { userId: null, clientId: null, address: null, requestId: null };

describe.each(dialects)("the actor of events on %s", (dialect) => {
  // Proves requirement 219.
  test("is named by every change that a user with a role makes", async () => {
    const { parts, user } = await openedSettings(dialect);
    const context = { ...parts, store: actingAs(parts.store, HELGA) };
    const inTransaction = <Result>(work: (deps: typeof context) => Promise<Result>) =>
      context.store.tx((store) => work({ ...context, store }));
    const changes: [string, () => Promise<unknown>][] = [
      ["user.blocked", () => blockUser(context, user.username)],
      ["user.unblocked", () => unblockUser(context, user.username)],
      ["user.sessions-ended", () => endSessionsOfUser(context, user.username)],
      ["group.added", () => addGroup(context, { name: "North" })],
      ["group.changed", () => setGroup(context, "North", { requireMfa: true })],
      ["group.removed", () => removeGroup(context, "North", { endMemberships: false })],
      ["role.granted", () => inTransaction((deps) => grantRole(deps, user, { role: "help-desk", office: null }))],
      ["role.revoked", () => inTransaction((deps) => revokeRole(deps, user))],
      ["audit.exported", () => recordEvent(context, { type: "audit.exported", outcome: "ok", reason: "csv" })],
    ];
    for (const [type, change] of changes) {
      await change();
      const event = await findLastAuditEvent(parts.store, type);
      expect([event?.actorId, event?.detail["actor"]], type).toEqual(["helga", "helga.brandt"]);
    }
    expect(await verifyAuditChain(parts)).toMatchObject({ ok: true });
  });

  test("is covered by the chain, which verifies with events from before there were actors", async () => {
    const store = await withStore(dialect);
    const event = {
      ...NOTHING,
      type: "group.added",
      outcome: "ok",
      at: new Date(0),
      detail: { reason: "North" },
    } as const;
    await appendAuditEvent(store, event);
    const { sequence } = await appendAuditEvent(actingAs(store, HELGA), event);
    await appendAuditEvent(store, event);
    expect(await verifyAuditChain({ store })).toMatchObject({ ok: true, events: 3 });
    const { auditEvents } = store.t;
    const edited = { ok: false, broken: [{ kind: "edited", sequence }] };
    for (const change of [
      { actorId: "other" },
      { actorId: null },
      { actorId: "helga", detail: { reason: "North", actor: "other" } },
      { detail: { reason: "North" } },
    ]) {
      await store.q.update(auditEvents).set(change).where(eq(auditEvents.sequence, sequence));
      expect(await verifyAuditChain({ store })).toMatchObject(edited);
    }
  });

  // Proves requirement 220.
  test.each<[string, AuditFilter, string]>([
    ["person", { userIds: ["anna", "bernd"] }, "audit_events_user"],
    ["actor", { actors: { ids: ["helga"] } }, "audit_events_actor"],
    ["time", { since: new Date(0), until: new Date(1) }, "audit_events_at"],
  ])("and events of one %s are found by an index", async (_what, filter, index) => {
    const store = await withStore(dialect);
    const query = selectLastAuditEvents(store, { ...filter, limit: 51 }).toSQL();
    const values = query.params.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
    const text = query.sql.replace(/\?|\$\d+/g, () => values.shift() ?? "");
    const plan = await store.tx(async (tx) => {
      // A table without rows would be read as a whole.
      if (dialect === "postgres") {
        await tx.execute("SET LOCAL enable_seqscan = off");
        await tx.execute("SET LOCAL enable_indexscan = on");
      }
      return JSON.stringify(await tx.execute(`EXPLAIN ${dialect === "sqlite" ? "QUERY PLAN " : ""}${text}`));
    });
    expect(plan).toContain(index);
  });
});
