import { readdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { readVersion } from "#app/config/version.server.ts";
import { migrateStore } from "#app/db/migrations.server.ts";
import { openStore } from "#app/db/store.server.ts";
import { createInstallation, createNewInstallation, run } from "./terminal.ts";

describe("mistakes in the configuration", () => {
  const env = { PORT: "many", ISSUER: "http://login.example.com", SECRET_KEYS: "short" };
  const keys = ["ISSUER", "PORT", "SECRET_KEYS", "APP_URL", "IMPRINT_URL"];

  it.each([[["user", "list"]], [["migrate"]], [["serve"]], [[]]])(
    "%j names all of them and ends with 3",
    async (args) => {
      const { exitCode, stdout, stderr } = await run(args, { env });
      expect(exitCode).toBe(3);
      expect(stdout).toBe("");
      for (const key of keys) expect(stderr).toContain(`  ${key} `);
    },
  );

  it("config check prints them as its result, in JSON too", async () => {
    const plain = await run(["config", "check"], { env });
    expect(plain.exitCode).toBe(3);
    for (const key of keys) expect(plain.stdout).toContain(`  ${key} `);
    const json = await run(["config", "check", "--json"], { env });
    expect(json.exitCode).toBe(3);
    const report = z.object({ ok: z.literal(false), mistakes: z.array(z.object({ key: z.string() })) });
    expect(report.parse(json.json()).mistakes.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
  });

  it("never quote a secret", async () => {
    const { stdout, stderr } = await run(["config", "show"], { env: { ...env, SECRET_KEYS: "hidden,hidden" } });
    expect(stdout + stderr).not.toContain("hidden");
  });
});

describe("config", () => {
  it("check ends with 0 and states that the configuration is complete", async () => {
    const { gatehouse } = await createInstallation();
    const { exitCode, stdout } = await gatehouse(["config", "check"]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe("The configuration is complete.\n");
  });

  it("show has every key, and only the length of a secret", async () => {
    const { gatehouse, env } = await createInstallation();
    const { exitCode, stdout } = await gatehouse(["config", "show"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^SECRET_KEYS +set \(\d+ characters, from environment\)$/m);
    expect(stdout).not.toContain(env["SECRET_KEYS"]);
  });
});

describe("migrate", () => {
  it("lists the pending migrations, runs them once, and has none left", async () => {
    const { gatehouse } = await createNewInstallation();
    const plan = await gatehouse(["migrate", "--check", "--json"]);
    const { pending } = z.object({ pending: z.array(z.string()).min(1) }).parse(plan.json());
    expect((await gatehouse(["migrate", "--json"])).json()).toEqual({ applied: pending });
    expect((await gatehouse(["migrate", "--json"])).json()).toEqual({ applied: [] });
    expect((await gatehouse(["migrate", "--plan", "--json"])).json()).toEqual({ pending: [] });
  });

  it("is not needed: every command does it first", async () => {
    const { gatehouse } = await createNewInstallation();
    await gatehouse(["user", "add", "anna", "--display-name", "Anna"]);
    expect((await gatehouse(["migrate", "--plan", "--json"])).json()).toEqual({ pending: [] });
  });

  it("refuses a database of a newer version with 3, and prints both versions", async () => {
    const { gatehouse, env } = await createNewInstallation();
    const store = await openStore({ dialect: "sqlite", file: env["DATABASE_URL"]?.replace("sqlite:", "") ?? "" });
    await migrateStore(store);
    await store.execute("INSERT INTO schema_migrations (name, version) VALUES ('9999_of_tomorrow', '99.1.0')");
    await store.close();
    for (const args of [["user", "list"], ["migrate"], ["migrate", "--plan"], ["migrate", "--check"]]) {
      const { exitCode, stderr } = await gatehouse(args);
      expect(exitCode).toBe(3);
      expect(stderr).toContain(`migrated by Gatehouse 99.1.0, but this is Gatehouse ${readVersion()}`);
      expect(stderr).toContain("9999_of_tomorrow");
    }
  });
});

describe("without a database file", () => {
  it.each([
    ["migrate", "--plan"],
    ["restore", "--before-upgrade", "--check"],
    ["restore", "--report"],
    ["user", "list"],
    ["user", "show", "anna"],
    ["user", "consents", "anna"],
    ["user", "import", "-", "--dry-run"],
    ["group", "list"],
    ["group", "show", "north"],
    ["role", "list"],
    ["client", "list"],
    ["client", "show", "desk"],
    ["client", "consents", "desk"],
    ["client", "snippet", "desk", "spring"],
    ["client", "preview", "desk", "--user", "anna"],
    ["client", "try", "desk"],
    ["keys", "list"],
    ["mail", "queue"],
    ["audit", "list"],
    ["audit", "export"],
    ["audit", "verify"],
  ])("%s %s names the missing file and creates none", async (...args) => {
    const { gatehouse, env } = await createNewInstallation();
    const file = env["DATABASE_URL"]?.replace("sqlite:", "") ?? "";
    const { exitCode, stdout, stderr } = await gatehouse(args, { input: "username,display_name\nanna,Anna\n" });
    expect([exitCode, stdout, stderr]).toEqual([5, "", expect.stringContaining(`no database at ${file}`)]);
    expect(readdirSync(dirname(file))).toEqual([]);
  });
});

test.each([[["user", "list"]], [["user", "unblock", "anna"]], [["migrate", "--plan"]], [["migrate"]], [["doctor"]]])(
  "%j refuses a folder in place of the database file, and leaves its mode as it is",
  async (args) => {
    const { gatehouse, env } = await createInstallation();
    const folder = dirname(env["DATABASE_URL"]?.replace("sqlite:", "") ?? "");
    const before = statSync(folder).mode;
    const { stdout, stderr } = await gatehouse(args, { env: { DATABASE_URL: `sqlite:${folder}` } });
    expect(stdout + stderr).toContain(`${folder} is a folder`);
    expect(statSync(folder).mode).toBe(before);
  },
);

describe("keys list", () => {
  it("states that the server creates them", async () => {
    const { gatehouse } = await createInstallation();
    const { stdout, stderr } = await gatehouse(["keys", "list"]);
    expect(stdout).toBe("");
    expect(stderr).toContain("The server creates them");
  });
});

describe("an unexpected error", () => {
  it("ends with 1 and its reason, without a stack", async () => {
    const { gatehouse, env } = await createInstallation();
    const file = env["DATABASE_URL"]?.replace("sqlite:", "") ?? "";
    rmSync(file, { force: true });
    const { exitCode, stderr } = await gatehouse(["user", "list"], {
      env: { DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: .*ECONNREFUSED/);
    expect(stderr).not.toContain("    at ");
  });
});

describe("serve", () => {
  it("passes the whole configuration, also without a command", async () => {
    const { env } = await createInstallation();
    for (const args of [[], ["serve"]]) {
      let options: unknown = null;
      const { exitCode, stderr } = await run(args, {
        env: { ...env, LOG_LEVEL: "error" },
        serve: async ({ config }) => {
          options = config.issuer;
          throw new Error("the port is taken");
        },
      });
      expect(options).toBe("http://localhost:3000");
      expect([exitCode, stderr]).toEqual([1, "error: the port is taken\n"]);
    }
  });
});
