import { describe, expect, test } from "vitest";
import {
  addToHistory,
  emptyHistory,
  type LoggedEvent,
  planActions,
  type UserInBackup,
} from "#app/restore/plan.server.ts";

type EventInput = Partial<LoggedEvent> & Pick<LoggedEvent, "type">;

/** Returns the actions for these events, with an older database with one client and one user with `factors` factors. */
function actionsFor(events: readonly EventInput[], { factors = 1 }: { factors?: number } = {}) {
  const history = emptyHistory();
  for (const event of events)
    addToHistory(history, { userId: null, clientId: null, outcome: "ok", detail: {}, ...event });
  const anna: UserInBackup = { id: "anna", username: "Anna", factors, isBlocked: false };
  return planActions(history, { users: new Map([["anna", anna]]), clients: new Set(["desk"]) });
}

const anna = { id: "anna", username: "Anna" };
const ofAnna = (...types: string[]): EventInput[] => types.map((type) => ({ type, userId: "anna" }));

describe("reconciliation of a user who changed since the backup", () => {
  // Proves requirement 193.
  test.each([
    ["was blocked", ["user.blocked"], ["blocked"]],
    ["was removed", ["user.removed"], ["removed"]],
    ["removed a factor", ["factor.removed"], ["factor removed"]],
    ["had all factors reset", ["factor-reset.done"], ["factor removed"]],
    ["undid a new e-mail address, which the backup may contain", ["email-change.undone"], ["e-mail change undone"]],
    ["was blocked, unblocked and blocked", ["user.blocked", "user.unblocked", "user.blocked"], ["blocked"]],
  ])("a user who %s is blocked", (_what, types, why) => {
    expect(actionsFor(ofAnna(...types)).block).toEqual([{ ...anna, why }]);
  });

  test("the user name of a user who came after the backup and was removed is reserved again", () => {
    const gerd = { userId: "gerd", detail: { username: "Gerd" } };
    const added = { ...gerd, type: "user.added" };
    expect(actionsFor([added, { ...gerd, type: "user.removed" }]).reserveNames).toEqual([
      { id: "gerd", username: "Gerd" },
    ]);
    expect(actionsFor([added]).reserveNames).toEqual([]);
    const withdrawn = { username: "Gerd", reason: "invitation withdrawn" };
    expect(actionsFor([added, { ...gerd, type: "user.removed", detail: withdrawn }]).reserveNames).toEqual([]);
    expect(actionsFor(ofAnna("user.removed")).reserveNames).toEqual([]);
  });

  test("a user who was unblocked in the end keeps the state of the backup", () => {
    expect(actionsFor(ofAnna("user.blocked", "user.unblocked")).block).toEqual([]);
  });

  test("a user whose only factor was added since is blocked, because the password alone would suffice", () => {
    expect(actionsFor(ofAnna("factor.added"), { factors: 0 }).block).toEqual([{ ...anna, why: ["factor added"] }]);
  });

  test("a user who added a second factor to another one keeps the other one, and is reported", () => {
    const actions = actionsFor(ofAnna("factor.added"), { factors: 1 });
    expect(actions.block).toEqual([]);
    expect(actions.lost.changes).toEqual([{ ...anna, what: ["factor added"] }]);
  });

  test.each(["password.changed", "password-reset.done", "user.password-set"])(
    "after %s the old password is removed",
    (type) => {
      expect(actionsFor(ofAnna(type)).clearPassword).toEqual([anna]);
    },
  );

  test.each(["recovery-code.used", "recovery-codes.made"])("after %s the old recovery codes are removed", (type) => {
    expect(actionsFor(ofAnna(type)).clearRecoveryCodes).toEqual([anna]);
  });

  // Proves requirement 259.
  test.each([
    ["removed", "factor.removed", { reason: "passkey" }, [anna]],
    ["perhaps removed with all factors", "factor-reset.done", {}, [anna]],
    ["not removed, but an authenticator app", "factor.removed", { reason: "totp" }, []],
    ["not removed, but a security key", "factor.removed", { reason: "security key" }, []],
  ])("if a passkey was %s, the passkeys of the backup are removed", (_what, type, detail, expected) => {
    expect(actionsFor([{ type, userId: "anna", detail }]).removePasskeys).toEqual(expected);
  });

  test("a disconnected provider is disconnected again, and no other", () => {
    const events = [{ type: "provider.disconnected", userId: "anna", detail: { reason: "google" } }];
    expect(actionsFor(events).disconnect).toEqual([{ ...anna, providers: ["google"] }]);
  });

  const joined = { type: "group.member-added", userId: "anna", detail: { groupId: "g-1", reason: "Team" } };
  const left = { ...joined, type: "group.member-removed", detail: { groupId: "g-1", reason: "Team, renamed" } };
  const otherLeft = { ...left, detail: { groupId: "g-2", reason: "Choir" } };

  test.each([
    ["left a group is not a member again", [left, otherLeft], ["g-1", "g-2"], []],
    ["left a group and joined it again stays a member", [left, joined], [], []],
    ["left, joined and left a group is not a member again", [left, joined, left], ["g-1"], []],
    ["joined a group is reported, because the membership is lost", [joined], [], ["joined group"]],
    ["joined a group and left it is as in the backup", [joined, left], [], []],
    ["joined one and left another has both effects", [joined, otherLeft], ["g-2"], ["joined group"]],
  ])("a user who %s", (_what, events, groupIds, what) => {
    const { leaveGroups, lost } = actionsFor(events);
    expect(leaveGroups.flatMap(({ groups }) => groups.map(({ id }) => id))).toEqual(groupIds);
    expect(lost.changes.flatMap((change) => change.what)).toEqual(what);
  });

  test("a membership that ended is reported with the latest name of its group", () => {
    expect(actionsFor([left]).leaveGroups).toEqual([{ ...anna, groups: [{ id: "g-1", name: "Team, renamed" }] }]);
  });

  test("refused events do not count", () => {
    const refused = ofAnna("factor.removed", "password.changed", "user.blocked").map((event) => ({
      ...event,
      outcome: "refused" as const,
    }));
    expect(actionsFor(refused)).toEqual(actionsFor([]));
  });

  test("ordinary events affect no user", () => {
    expect(actionsFor(ofAnna("sign-in.succeeded", "consent.granted", "sign-out", "settings.opened"))).toEqual(
      actionsFor([]),
    );
  });

  test("an added account is reported as lost, by its user name; an account that was removed again is not", () => {
    const added = { type: "user.added", userId: "bert", detail: { username: "bert" } };
    expect(actionsFor([added]).lost.users).toEqual(["bert"]);
    expect(actionsFor([added, { type: "user.removed", userId: "bert" }]).lost.users).toEqual([]);
  });
});

describe("reconciliation of an application that changed since the backup", () => {
  const ofDesk = (...types: string[]): EventInput[] => types.map((type) => ({ type, clientId: "desk" }));

  test("a rotated secret invalidates the old one", () => {
    expect(actionsFor(ofDesk("client.secret-rotated")).clearSecrets).toEqual(["desk"]);
  });

  test("a removed application is removed again", () => {
    expect(actionsFor(ofDesk("client.secret-rotated", "client.removed")).removeClients).toEqual(["desk"]);
  });

  test("a removed and added application does not get its first secret back", () => {
    const actions = actionsFor(ofDesk("client.removed", "client.added"));
    expect([actions.removeClients, actions.clearSecrets]).toEqual([[], ["desk"]]);
  });

  test("a changed application, perhaps closed since, is reported: it is as in the backup", () => {
    const actions = actionsFor(ofDesk("client.changed"));
    expect([actions.lost.clientChanges, actions.removeClients]).toEqual([["desk"], []]);
  });

  test("an added application is reported as lost", () => {
    expect(actionsFor([{ type: "client.added", clientId: "new" }]).lost.clients).toEqual(["new"]);
  });
});
