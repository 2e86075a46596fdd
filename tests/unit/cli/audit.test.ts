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
  it("tells what happened, the newest at the end, by the names of people", async () => {
    const installation = await withTrail();
    const { stdout } = await installation.gatehouse(["audit", "list"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^NO +TIME \(UTC\) +EVENT +OUTCOME +USER/);
    expect(lines.at(-2)).toMatch(/^\d+ +[\d-]+ [\d:]+ +user\.blocked +ok +anna /);
    expect(lines.at(-1)).toMatch(/client\.added +ok +- +desk/);
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

  it.each(["1h", "2020-01-01", "2020-01-01T09:00:00+01:00"])("knows since when: %s", async (since) => {
    const installation = await withTrail();
    expect(await listed(installation, "--since", since)).toHaveLength((await listed(installation)).length);
  });

  it("leaves out what was before", async () => {
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

  it("ends with 4 for a user of whom nothing is known", async () => {
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

  it("writes an empty list where there is nothing", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(["audit", "export", "--json"])).json()).toEqual([]);
  });

  it("writes CSV with the same events, UTF-8 with a mark that Excel knows", async () => {
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

  it("never lets a cell be a formula, and quotes what would break a row", async () => {
    const installation = await withTrail();
    const detail = JSON.stringify({ username: "=HYPERLINK(1)", reason: 'a,"b"\nc' });
    await change(installation, `UPDATE audit_events SET detail = '${detail}' WHERE type = 'user.blocked'`);
    const { stdout } = await installation.gatehouse(["audit", "export", "--format", "csv", "--type", "user.blocked"]);
    const [row] = parse<Record<string, string>>(stdout, { bom: true, columns: true });
    expect(row).toMatchObject({ username: "'=HYPERLINK(1)", reason: 'a,"b"\nc' });
  });
});

describe("audit verify", () => {
  it("ends with 0 for a trail that nobody changed, and gives a digest that holds", async () => {
    const { gatehouse } = await withTrail();
    const verified = await gatehouse(["audit", "verify", "--json"]);
    expect(verified.exitCode).toBe(0);
    const { digest } = z.object({ ok: z.literal(true), digest: z.string() }).parse(verified.json());
    await gatehouse(["user", "unblock", "anna"]);
    expect((await gatehouse(["audit", "verify", "--digest", digest])).exitCode).toBe(0);
  });

  it("ends with 1 and names the event that somebody changed", async () => {
    const installation = await withTrail();
    const [blocked] = await listed(installation, "--type", "user.blocked");
    await change(installation, "UPDATE audit_events SET type = 'user.unblocked' WHERE type = 'user.blocked'");
    const { exitCode, stdout, stderr } = await installation.gatehouse(["audit", "verify"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" });
    expect(stdout).toContain(`event ${blocked?.sequence} was changed`);
  });

  it("ends with 1 when the end is cut off, if the digest is at hand", async () => {
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
