import { userInfo } from "node:os";
import { parse } from "csv-parse/sync";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { openStore } from "#app/db/store.server.ts";
import { createInstallation, type Installation } from "./terminal.ts";

const event = z.looseObject({ sequence: z.number(), type: z.string(), user_id: z.string().nullable(), at: z.string() });
const events = z.array(event);

/** Creates an installation with three users, one of them blocked, and a client. */
async function withTrail(): Promise<Installation> {
  const installation = await createInstallation();
  for (const name of ["anna", "bernd", "clara"])
    await installation.gatehouse(["user", "add", name, "--display-name", name]);
  await installation.gatehouse(["user", "block", "anna"]);
  await installation.gatehouse([
    "client",
    "add",
    "--id",
    "desk",
    "--name",
    "D",
    "--redirect-uri",
    "https://d.example/",
    "--everyone",
  ]);
  return installation;
}

async function listed({ gatehouse }: Installation, ...args: string[]) {
  return events.parse((await gatehouse(["audit", "list", "--json", ...args])).json());
}

async function change({ env }: Installation, statement: string) {
  const store = await openStore({ dialect: "sqlite", file: env["DATABASE_URL"]?.replace("sqlite:", "") ?? "" });
  onTestFinished(() => store.close());
  await store.execute(statement);
}

describe("audit list", () => {
  it("lists events, the newest at the end, with user names", async () => {
    const installation = await withTrail();
    const { stdout } = await installation.gatehouse(["audit", "list"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^NO +TIME +EVENT +OUTCOME +USER/);
    expect(lines.at(-2)).toMatch(/^\d+ +[\d-]+ [\d:]+ (UTC|[+-]\d\d:\d\d) +user\.blocked +ok +anna /);
    expect(lines.at(-1)).toMatch(/client\.added +ok +- +desk/);
  });

  it("shows what the refused request of a client sent", async () => {
    const installation = await withTrail();
    const detail = JSON.stringify({ reason: "redirect uri", redirectUri: "https://d.example/other" });
    await change(
      installation,
      `UPDATE audit_events SET type = 'client.refused', outcome = 'refused', detail = '${detail}' WHERE type = 'client.added'`,
    );
    const { stdout } = await installation.gatehouse(["audit", "list", "--type", "client.refused"]);
    expect(stdout).toMatch(/client\.refused +refused +- +desk +- +- +- +redirect uri: https:\/\/d\.example\/other$/m);
  });

  it("shows times in TIME_ZONE, with the offset from UTC", async () => {
    const installation = await withTrail();
    await change(installation, "UPDATE audit_events SET at = 1772330399000 WHERE type = 'user.blocked'");
    await change(installation, "UPDATE audit_events SET at = 1782864000000 WHERE type = 'client.added'");
    for (const [zone, winter, summer] of [
      ["Europe/Berlin", "2026-03-01 02:59:59 +01:00", "2026-07-01 02:00:00 +02:00"],
      ["America/St_Johns", "2026-02-28 22:29:59 -03:30", "2026-06-30 21:30:00 -02:30"],
      ["UTC", "2026-03-01 01:59:59 UTC", "2026-07-01 00:00:00 UTC"],
    ] as const) {
      const { stdout } = await installation.gatehouse(["audit", "list"], { env: { TIME_ZONE: zone } });
      expect(stdout).toContain(`${winter}  user.blocked`);
      expect(stdout).toContain(`${summer}  client.added`);
    }
  });

  it("names the operating-system user who ran the command, before the call of sudo", async () => {
    const installation = await withTrail();
    await installation.gatehouse(["group", "add", "North"], { env: { SUDO_USER: "mueller" } });
    const list = await installation.gatehouse(["audit", "list", "--type", "group.added"]);
    expect(list.stdout).toMatch(/OPERATOR +REASON\n.* mueller +North\n$/);
    await installation.gatehouse(["group", "add", "East"], { env: { SUDO_USER: `\u001b[2J${"x".repeat(99)}` } });
    const events = await installation.gatehouse(["audit", "list", "--json"]);
    const operators = z.array(z.object({ detail: z.object({ operator: z.string() }) })).parse(events.json());
    expect(operators[0]?.detail.operator).toBe(userInfo().username);
    expect(operators.at(-1)?.detail.operator).toMatch(/^\\u\{1b\}\[2Jx{60}$/);
    expect((await installation.gatehouse(["audit", "verify"])).exitCode).toBe(0);
  });

  it("shows the start of the hash of an unknown name, and never a name that was typed in its place", async () => {
    const installation = await withTrail();
    const detail = JSON.stringify({ username: "Harbour-Kettle-93", nameHash: "abcdefghijkl" });
    await change(
      installation,
      `UPDATE audit_events SET user_id = NULL, detail = '${detail}' WHERE type = 'user.blocked'`,
    );
    const { stdout } = await installation.gatehouse(["audit", "list", "--type", "user.blocked"]);
    expect(stdout).toMatch(/user\.blocked +ok +unknown:abcdefgh /);
    expect(stdout).not.toContain("Kettle");
  });

  it("is narrowed by user, by kind and by number", async () => {
    const installation = await withTrail();
    expect((await listed(installation, "--user", "Anna")).map(({ type }) => type)).toEqual([
      "user.added",
      "user.blocked",
    ]);
    const kinds = await listed(installation, "--type", "client.added", "--type", "user.blocked");
    expect(kinds.map(({ type }) => type)).toEqual(["user.blocked", "client.added"]);
    expect((await listed(installation, "--limit", "1")).map(({ type }) => type)).toEqual(["client.added"]);
  });

  it.each(["1h", "2020-01-01", "2020-01-01T09:00:00+01:00"])("accepts --since: %s", async (since) => {
    const installation = await withTrail();
    expect(await listed(installation, "--since", since)).toHaveLength((await listed(installation)).length);
  });

  it("begins a day in TIME_ZONE, as it shows times and as the page for activity does", async () => {
    const installation = await withTrail();
    // 2026-02-28T23:30:00Z
    await change(installation, "UPDATE audit_events SET at = 1772321400000 WHERE type = 'user.blocked'");
    for (const [zone, count] of [
      ["Europe/Berlin", 1],
      ["UTC", 0],
    ] as const) {
      const filter = ["--since", "2026-03-01", "--type", "user.blocked", "--json"];
      const list = await installation.gatehouse(["audit", "list", ...filter], { env: { TIME_ZONE: zone } });
      const trail = await installation.gatehouse(["audit", "export", ...filter], { env: { TIME_ZONE: zone } });
      expect([list, trail].map((result) => events.parse(result.json()).length)).toEqual([count, count]);
    }
  });

  it("omits earlier events", async () => {
    const installation = await withTrail();
    await change(installation, "UPDATE audit_events SET at = 0 WHERE type = 'user.blocked'");
    expect(await listed(installation, "--since", "1h", "--user", "anna")).toHaveLength(1);
  });

  it.each([
    ["--since", "yesterday"],
    ["--since", "2026-13-01"],
    ["--type", "sign-in.maybe"],
    ["--limit", "0"],
  ])("ends with 2 for %s %s", async (...args) => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stderr } = await gatehouse(["audit", "list", ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(args[0]);
  });

  it("ends with 4 for an unknown user", async () => {
    const { gatehouse } = await withTrail();
    expect((await gatehouse(["audit", "list", "--user", "nobody"])).exitCode).toBe(4);
  });
});

describe("audit export", () => {
  it("writes all events in JSON", async () => {
    const installation = await withTrail();
    const exported = await installation.gatehouse(["audit", "export"]);
    expect(exported.exitCode).toBe(0);
    expect(exported.json()).toEqual(await listed(installation));
  });

  it("writes an empty list without events", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(["audit", "export", "--json"])).json()).toEqual([]);
  });

  it("writes CSV with the same events, in UTF-8 with a BOM for Excel", async () => {
    const installation = await withTrail();
    const { stdout } = await installation.gatehouse(["audit", "export", "--format", "csv", "--user", "anna"]);
    expect(stdout.codePointAt(0)).toBe(0xfeff);
    const rows: Record<string, string>[] = parse(stdout, { bom: true, columns: true });
    const shown = await listed(installation, "--user", "anna");
    expect(rows.map(({ sequence, type, at }) => ({ sequence: Number(sequence), type, at }))).toEqual(
      shown.map(({ sequence, type, at }) => ({ sequence, type, at })),
    );
    for (const row of rows) expect(row["hash"]).toMatch(/^sha256:[\w-]{43}$/);
  });

  it("escapes formulas, and quotes cells with separators", async () => {
    const installation = await withTrail();
    const detail = JSON.stringify({ username: "=HYPERLINK(1)", reason: 'a,"b"\nc' });
    await change(installation, `UPDATE audit_events SET detail = '${detail}' WHERE type = 'user.blocked'`);
    const { stdout } = await installation.gatehouse(["audit", "export", "--format", "csv", "--type", "user.blocked"]);
    const [row] = parse<Record<string, string>>(stdout, { bom: true, columns: true });
    expect(row).toMatchObject({ username: "'=HYPERLINK(1)", reason: 'a,"b"\nc' });
  });
});

describe("audit verify", () => {
  it("ends with 0 for an unchanged trail, and prints a valid digest", async () => {
    const { gatehouse } = await withTrail();
    const verified = await gatehouse(["audit", "verify", "--json"]);
    expect(verified.exitCode).toBe(0);
    const { digest } = z.object({ ok: z.literal(true), digest: z.string() }).parse(verified.json());
    await gatehouse(["user", "unblock", "anna"]);
    expect((await gatehouse(["audit", "verify", "--digest", digest])).exitCode).toBe(0);
  });

  it("ends with 1 and names the changed event", async () => {
    const installation = await withTrail();
    const [blocked] = await listed(installation, "--type", "user.blocked");
    await change(installation, "UPDATE audit_events SET type = 'user.unblocked' WHERE type = 'user.blocked'");
    const { exitCode, stdout, stderr } = await installation.gatehouse(["audit", "verify"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
    expect(stdout).toContain(`event ${blocked?.sequence} was changed`);
  });

  it("ends with 1 when the last events were removed, if the digest is given", async () => {
    const installation = await withTrail();
    const { digest } = z
      .object({ digest: z.string() })
      .parse((await installation.gatehouse(["audit", "verify", "--json"])).json());
    await change(installation, "DELETE FROM audit_events WHERE type = 'client.added'");
    expect((await installation.gatehouse(["audit", "verify"])).exitCode).toBe(0);
    const { exitCode, stdout } = await installation.gatehouse(["audit", "verify", "--digest", digest]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("was removed");
  });

  it("ends with 2 for a digest that is none", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(["audit", "verify", "--digest", "12"])).exitCode).toBe(2);
  });
});
