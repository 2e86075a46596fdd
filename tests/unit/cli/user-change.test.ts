import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createInstallation, type Installation } from "./terminal.ts";

const ADD = ["user", "add", "anna", "--display-name", "Anna Berger"];
const FULL = [...ADD, ...["--email", "anna@example.com", "--phone", "+49 40 5550101", "--locale", "de"]];

async function shown({ gatehouse }: Installation, name = "anna") {
  return z.record(z.string(), z.unknown()).parse((await gatehouse(["user", "show", name, "--json"])).json());
}

async function eventsOf({ gatehouse }: Installation, type: string) {
  const listed = await gatehouse(["audit", "list", "--type", type, "--json"]);
  return z.array(z.looseObject({ user_id: z.string(), detail: z.record(z.string(), z.string()) })).parse(listed.json());
}

describe("user set", () => {
  it("changes only the given options", async () => {
    const installation = await createInstallation();
    await installation.gatehouse([...FULL, "--permission", "orders"]);
    const before = await shown(installation);
    const set = await installation.gatehouse(["user", "set", "ANNA", "--email", "berger@example.com", "--json"]);
    expect(set.exitCode).toBe(0);
    const after = { ...before, email: "berger@example.com" };
    expect(await shown(installation)).toEqual(after);
    expect(after).toMatchObject(Object(set.json()));
  });

  it("reports and records only what is another value than before", async () => {
    const installation = await createInstallation();
    await installation.gatehouse(["group", "add", "North"]);
    const address = ["--address", "country=DE", "--address", "locality=Kiel"];
    const same = [...["--permission", "orders", "--group", "North"], ...address];
    await installation.gatehouse([...FULL, ...same]);
    const values = [
      "--display-name",
      "Anna Berger",
      "--email",
      "anna@example.com",
      "--no-email-verified",
      "--no-picture",
    ];
    const again = await installation.gatehouse(["user", "set", "anna", ...values, ...same]);
    expect(again.stdout).toBe("User anna is unchanged.\n");
    expect(await eventsOf(installation, "user.changed")).toEqual([]);
    const changed = await installation.gatehouse(["user", "set", "anna", ...values, "--phone", "+49 40 5550102"]);
    expect(changed.stdout).toBe("Changed user anna.\n");
    const events = await eventsOf(installation, "user.changed");
    expect(events.map(({ detail }) => detail.reason)).toEqual(["phone"]);
  });

  // Proves requirement 224.
  it("--email mails a notice to the previous address", async () => {
    const installation = await createInstallation();
    await installation.gatehouse(FULL);
    await installation.gatehouse(["user", "set", "anna", "--email", "berger@example.com"]);
    expect((await installation.gatehouse(["mail", "queue"])).stdout).toMatch(/email-replaced.*anna@example\.com/);
  });

  it("removes what is named with --no-", async () => {
    const installation = await createInstallation();
    await installation.gatehouse(["group", "add", "North"]);
    await installation.gatehouse([...FULL, "--permission", "orders", "--group", "North"]);
    const args = ["--no-email", "--no-phone", "--no-locale", "--no-group", "--no-permission"];
    await installation.gatehouse(["user", "set", "anna", ...args]);
    expect(await shown(installation)).toMatchObject({
      email: null,
      phone: null,
      locale: null,
      group: null,
      permissions: [],
    });
  });

  it("puts permissions in the place of all there were, and a user into another group", async () => {
    const installation = await createInstallation();
    await installation.gatehouse(["group", "add", "North"]);
    await installation.gatehouse([...FULL, "--permission", "orders", "--permission", "claims"]);
    await installation.gatehouse(["user", "set", "anna", "--permission", "reports", "--group", "North"]);
    expect(await shown(installation)).toMatchObject({ permissions: ["reports"], group: "North" });
  });

  it("changes the picture and the address, and removes both", async () => {
    const installation = await createInstallation();
    await installation.gatehouse([...FULL, "--address", "locality=Kiel", "--address", "country=DE"]);
    const picture = "https://pictures.example/anna.png";
    const set = await installation.gatehouse([
      "user",
      "set",
      "anna",
      "--picture",
      picture,
      "--address",
      "locality=Bonn",
    ]);
    expect(set.exitCode).toBe(0);
    expect(await shown(installation)).toMatchObject({ picture, address: { locality: "Bonn" } });
    await installation.gatehouse(["user", "set", "anna", "--no-picture", "--no-address"]);
    expect(await shown(installation)).toMatchObject({ picture: null, address: null });
  });

  it("changes the given and the family name, and removes both", async () => {
    const installation = await createInstallation();
    await installation.gatehouse([...FULL, "--given-name", " Anna ", "--family-name", "Berger"]);
    expect(await shown(installation)).toMatchObject({ given_name: "Anna", family_name: "Berger" });
    await installation.gatehouse(["user", "set", "anna", "--family-name", "Vogel"]);
    expect(await shown(installation)).toMatchObject({ given_name: "Anna", family_name: "Vogel" });
    const text = await installation.gatehouse(["user", "show", "anna"]);
    expect(text.stdout).toMatch(/^given name +Anna\nfamily name +Vogel$/m);
    await installation.gatehouse(["user", "set", "anna", "--no-given-name", "--no-family-name"]);
    expect(await shown(installation)).toMatchObject({ given_name: null, family_name: null });
  });

  it("records the changed fields without their values", async () => {
    const installation = await createInstallation();
    await installation.gatehouse(FULL);
    await installation.gatehouse(["user", "set", "anna", "--email", "new@example.com", "--display-name", "Anna Vogel"]);
    const [event] = await eventsOf(installation, "user.changed");
    expect(event?.detail).toEqual({ username: "anna", reason: "displayName, email", operator: expect.any(String) });
  });

  it.each([
    ["nothing to change", [], 2, "No change was given"],
    ["no mail address", ["--phone", "1", "--email", "nowhere"], 2, "--email"],
    ["no language", ["--locale", "x"], 2, "--locale"],
    ["a word in place of a language tag", ["--locale", "german"], 2, "--locale"],
    ["an unknown region", ["--locale", "de-XX"], 2, "--locale"],
    ["no picture", ["--phone", "1", "--picture", "http://pictures.example/anna.png"], 2, "--picture"],
    ["no member of an address", ["--phone", "1", "--address", "town=Kiel"], 2, "town"],
    ["an empty family name", ["--phone", "1", "--family-name", " "], 2, "--family-name"],
    ["a given name of two lines", ["--given-name", "An\nna"], 2, "--given-name"],
    ["no permission", ["--permission", "a b"], 2, "--permission"],
    ["an unknown group", ["--phone", "1", "--group", "South"], 4, 'no group "South"'],
  ])("ends without a change for %s", async (_what, args, exitCode, message) => {
    const installation = await createInstallation();
    await installation.gatehouse(FULL);
    const before = await shown(installation);
    const set = await installation.gatehouse(["user", "set", "anna", ...args]);
    expect(set.exitCode).toBe(exitCode);
    expect(set.stderr).toContain(message);
    expect(await shown(installation)).toEqual(before);
  });
});

describe("user remove", () => {
  it("needs --yes without a terminal, and changes nothing without it", async () => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const refused = await gatehouse(["user", "remove", "anna"]);
    expect([refused.exitCode, refused.stdout]).toEqual([5, ""]);
    expect(refused.stderr).toContain("--yes");
    expect((await gatehouse(["user", "show", "anna"])).exitCode).toBe(0);
  });

  it.each([
    ["y", 0, 4],
    ["n", 5, 0],
  ])("asks on a terminal: %j ends with %i", async (answer, exitCode, shownExit) => {
    const { gatehouse } = await createInstallation();
    await gatehouse(ADD);
    const removed = await gatehouse(["user", "remove", "anna"], { answers: [answer] });
    expect(removed.stderr).toContain("Anna Berger");
    expect(removed.exitCode).toBe(exitCode);
    expect((await gatehouse(["user", "show", "anna"])).exitCode).toBe(shownExit);
  });

  it("keeps the trail, which is found by the id, and reserves the name", async () => {
    const installation = await createInstallation();
    const { id } = z.object({ id: z.string() }).parse((await installation.gatehouse([...ADD, "--json"])).json());
    const removed = await installation.gatehouse(["user", "remove", "anna", "--yes", "--json"]);
    expect(removed.json()).toEqual({ id });
    const trail = await installation.gatehouse(["audit", "list", "--user", id]);
    expect(trail.stdout).toContain("user.added");
    expect(trail.stdout).toMatch(/user\.removed .* anna /);
    expect((await installation.gatehouse(ADD)).exitCode).toBe(5);
    expect((await installation.gatehouse(["audit", "verify"])).exitCode).toBe(0);
  });
});

describe("user unlock and end-sessions", () => {
  it.each([
    ["unlock", "user.unlocked"],
    ["end-sessions", "user.sessions-ended"],
  ])("%s prints the id and is in the audit trail", async (verb, type) => {
    const installation = await createInstallation();
    const { id } = z.object({ id: z.string() }).parse((await installation.gatehouse([...ADD, "--json"])).json());
    expect((await installation.gatehouse(["user", verb, "anna", "--json"])).json()).toEqual({ id });
    expect(await eventsOf(installation, type)).toMatchObject([{ user_id: id }]);
  });
});

describe("a user who is not there", () => {
  it.each([
    [["set", "nobody", "--no-phone"]],
    [["remove", "nobody", "--yes"]],
    [["unlock", "nobody"]],
    [["end-sessions", "nobody"]],
  ])("%j ends with 4", async (args) => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stderr } = await gatehouse(["user", ...args]);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('no user "nobody"');
  });
});
