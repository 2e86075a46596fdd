import { describe, expect, test } from "vitest";
import { planActions, type UserInBackup } from "#app/restore/actions.ts";
import { addToHistory, emptyHistory, type LoggedEvent } from "#app/restore/changes-since.ts";

type EventInput = Partial<LoggedEvent> & Pick<LoggedEvent, "type">;

/** Returns the measures for these events, in an older database with one client and one user with `factors` factors. */
function actionsFor(events: readonly EventInput[], { factors = 1 }: { factors?: number } = {}) {
  const history = emptyHistory();
  for (const event of events)
    addToHistory(history, { userId: null, clientId: null, outcome: "ok", detail: {}, ...event });
  const anna: UserInBackup = { id: "anna", username: "Anna", factors, isBlocked: false };
  return planActions(history, { users: new Map([["anna", anna]]), clients: new Set(["desk"]) });
}

const anna = { id: "anna", username: "Anna" };
const ofAnna = (...types: string[]): EventInput[] => types.map((type) => ({ type, userId: "anna" }));

describe("what is done about a user whose past is gone", () => {
  test.each([
    ["was blocked", ["user.blocked"], ["blocked"]],
    ["was removed", ["user.removed"], ["removed"]],
    ["removed a factor", ["factor.removed"], ["factor removed"]],
    ["had all factors reset", ["factor-reset.done"], ["factor removed"]],
    ["was blocked, unblocked and blocked", ["user.blocked", "user.unblocked", "user.blocked"], ["blocked"]],
  ])("one who %s is blocked", (_what, types, why) => {
    expect(actionsFor(ofAnna(...types)).block).toEqual([{ ...anna, why }]);
  });

  test("one who was unblocked in the end is as the older database says", () => {
    expect(actionsFor(ofAnna("user.blocked", "user.unblocked")).block).toEqual([]);
  });

  test("one whose only factor was added since is blocked: the password alone would do", () => {
    expect(actionsFor(ofAnna("factor.added"), { factors: 0 }).block).toEqual([{ ...anna, why: ["factor added"] }]);
  });

  test("one who added a second factor to another one goes on with the other one, and is named", () => {
    const actions = actionsFor(ofAnna("factor.added"), { factors: 1 });
    expect(actions.block).toEqual([]);
    expect(actions.lost.changes).toEqual([{ ...anna, what: ["factor added"] }]);
  });

  test.each(["password.changed", "password-reset.done", "user.password-set"])(
    "after %s the old password goes",
    (type) => {
      expect(actionsFor(ofAnna(type)).clearPassword).toEqual([anna]);
    },
  );

  test.each(["recovery-code.used", "recovery-codes.made"])("after %s the old recovery codes go", (type) => {
    expect(actionsFor(ofAnna(type)).clearRecoveryCodes).toEqual([anna]);
  });

  test("a provider that was disconnected is disconnected again, that one only", () => {
    const events = [{ type: "provider.disconnected", userId: "anna", detail: { reason: "google" } }];
    expect(actionsFor(events).disconnect).toEqual([{ ...anna, providers: ["google"] }]);
  });

  test("what was refused counts for nothing", () => {
    const refused = ofAnna("factor.removed", "password.changed", "user.blocked").map((event) => ({
      ...event,
      outcome: "refused" as const,
    }));
    expect(actionsFor(refused)).toEqual(actionsFor([]));
  });

  test("an ordinary day concerns nobody", () => {
    expect(actionsFor(ofAnna("sign-in.succeeded", "consent.granted", "sign-out", "settings.opened"))).toEqual(
      actionsFor([]),
    );
  });

  test("an account that was added since is named as gone, by its user name; one that was removed again is not", () => {
    const added = { type: "user.added", userId: "bert", detail: { username: "bert" } };
    expect(actionsFor([added]).lost.users).toEqual(["bert"]);
    expect(actionsFor([added, { type: "user.removed", userId: "bert" }]).lost.users).toEqual([]);
  });
});

describe("what is done about an application whose past is gone", () => {
  const ofDesk = (...types: string[]): EventInput[] => types.map((type) => ({ type, clientId: "desk" }));

  test("a secret that was changed is dead", () => {
    expect(actionsFor(ofDesk("client.secret-rotated")).clearSecrets).toEqual(["desk"]);
  });

  test("one that was removed is removed", () => {
    expect(actionsFor(ofDesk("client.secret-rotated", "client.removed")).removeClients).toEqual(["desk"]);
  });

  test("one that was removed and added again does not get its first secret back", () => {
    const actions = actionsFor(ofDesk("client.removed", "client.added"));
    expect([actions.removeClients, actions.clearSecrets]).toEqual([[], ["desk"]]);
  });

  test("one that was added since is named as gone", () => {
    expect(actionsFor([{ type: "client.added", clientId: "new" }]).lost.clients).toEqual(["new"]);
  });
});
