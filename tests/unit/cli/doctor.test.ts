import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { eq } from "drizzle-orm";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { listUsers } from "#app/db/repositories/users.server.ts";
import { openStore, type Store } from "#app/db/store.server.ts";
import { createSecrets } from "#app/domain/secret/secrets.server.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createInstallation, type Installation } from "./terminal.ts";

const finding = z.object({
  check: z.string(),
  state: z.enum(["ok", "warning", "failed", "skipped"]),
  found: z.string(),
  fix: z.string().nullable(),
});
const report = z.object({ ok: z.boolean(), findings: z.array(finding) });

const ADD_CLIENT = [
  "client",
  "add",
  "--id",
  "desk",
  "--name",
  "Desk",
  "--redirect-uri",
  "https://desk.example/",
  "--everyone",
];
const at = new Date("2026-01-01T00:00:00.000Z");

/** Creates an installation at a port without a server. */
async function installed(): Promise<Installation & { file: string }> {
  const installation = await createInstallation();
  const port = String(await freePort());
  const env: Readonly<Record<string, string>> = { ...installation.env, PORT: port, ISSUER: `http://localhost:${port}` };
  const gatehouse: Installation["gatehouse"] = (args, options = {}) =>
    installation.gatehouse(args, { ...options, env: { ...env, ...options.env } });
  await gatehouse(["user", "add", "anna", "--display-name", "Anna"]);
  return { env, gatehouse, file: env["DATABASE_URL"]?.replace("sqlite:", "") ?? "" };
}

async function examine({ gatehouse }: Installation, env: Readonly<Record<string, string>> = {}) {
  const done = await gatehouse(["doctor", "--json"], { env });
  const { ok, findings } = report.parse(done.json());
  expect(done.exitCode).toBe(ok ? 0 : 1);
  const of = (check: string) => findings.find((one) => one.check === check);
  return { ok, findings, of };
}

async function change(installation: { file: string }, work: (store: Store) => Promise<unknown>) {
  const store = await openStore({ dialect: "sqlite", file: installation.file });
  onTestFinished(() => store.close());
  await work(store);
}

async function idOfAnna(store: Store): Promise<string> {
  const [anna] = await listUsers(store, { after: null, limit: 1 });
  return anna?.id ?? "";
}

async function putKey(store: Store, rpId: string) {
  const securityKey = {
    name: "Blue key",
    publicKeyBase64url: "k",
    algorithm: -7,
    counter: 0,
    attestationFormat: "none",
  };
  await store.q.insert(store.t.webauthnCredentials).values({
    id: rpId,
    userId: await idOfAnna(store),
    rpId,
    ...securityKey,
    backupEligible: false,
    backedUp: false,
    createdAt: at,
  });
}

describe("doctor", () => {
  it("makes some two dozen checks, and every problem has a solution", async () => {
    const { findings } = await examine(await installed());
    expect(findings.length).toBeGreaterThanOrEqual(20);
    expect(new Set(findings.map(({ check }) => check)).size).toBe(findings.length);
    for (const { check, state, fix } of findings) {
      expect(fix === null, check).toBe(state === "ok" || state === "skipped");
    }
  });

  it("prints a line for each, with the solution below it, and counts them", async () => {
    const { gatehouse } = await installed();
    const { stdout, stderr } = await gatehouse(["doctor"]);
    expect(stdout).toMatch(/^ok {7}database settings: /m);
    expect(stdout).toMatch(/^warning {2}mail server: .*|^FAILED {3}mail server: .*/m);
    expect(stdout).toMatch(/^ {9}-> /m);
    expect(stderr).toMatch(/\d+ ok, \d+ warnings, \d+ failed, \d+ not applicable/);
  });

  it("prints the time zone in which users read times, as set or of the server", async () => {
    const installation = await installed();
    const zoneOf = async (env = {}) => (await examine(installation, env)).of("time zone")?.found;
    expect(await zoneOf({ TIME_ZONE: "America/New_York" })).toContain("America/New_York");
    expect(await zoneOf()).toContain(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  });

  it("warns while no active user is administrator, unless the pages are off", async () => {
    const installation = await installed();
    const check = async (env = {}) => (await examine(installation, env)).of("administrators");
    expect(await check()).toMatchObject({ state: "warning", fix: expect.stringContaining("gatehouse role grant") });
    expect(await check({ ADMIN_PAGES: "off" })).toMatchObject({ state: "skipped" });
    await installation.gatehouse(["role", "grant", "anna", "administrator"]);
    expect(await check()).toMatchObject({ state: "ok", found: "anna" });
  });

  it("reports an unreachable public URL", async () => {
    const { of } = await examine(await installed());
    expect(of("server")).toMatchObject({ state: "warning" });
    expect(of("public address")).toMatchObject({ state: "failed", found: expect.stringContaining("ECONNREFUSED") });
  });

  it("reports a database and a folder that other users can read or change", async () => {
    const installation = await installed();
    chmodSync(installation.file, 0o644);
    chmodSync(dirname(installation.file), 0o777);
    const { of } = await examine(installation);
    expect(of("file rights")).toMatchObject({ state: "failed", found: expect.stringContaining(installation.file) });
    expect(of("folder rights")).toMatchObject({ state: "failed" });
    expect((await examine(installation)).of("file rights")).toMatchObject({ state: "ok" });
  });

  it("reports a file with a secret that other users can read", async () => {
    const installation = await installed();
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-secret-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "smtp");
    writeFileSync(file, "smtp://localhost:1", { mode: 0o644 });
    const env = { SMTP_URL: "", SMTP_URL_FILE: file };
    expect((await examine(installation, env)).of("secret files")).toMatchObject({ state: "failed" });
    for (const [mode, state] of [
      [0o600, "ok"],
      [0o400, "ok"],
      [0o640, "ok"],
      [0o660, "failed"],
      [0o604, "failed"],
    ] as const) {
      chmodSync(file, mode);
      expect((await examine(installation, env)).of("secret files"), mode.toString(8)).toMatchObject({ state });
    }
    chmodSync(file, 0o600);
    chmodSync(folder, 0o777);
    expect((await examine(installation, env)).of("secret files")).toMatchObject({ state: "failed" });
  });

  it("reports a wrong key with its fingerprint, instead of ending", async () => {
    const installation = await installed();
    const { ok, of } = await examine(installation, { SECRET_KEYS: "another key that this database does not know" });
    expect(ok).toBe(false);
    expect(of("database")).toMatchObject({
      state: "failed",
      found: expect.stringContaining("SECRET_KEYS does not fit"),
    });
  });

  it("reports a new key with which nothing is encrypted yet", async () => {
    const installation = await installed();
    const SECRET_KEYS = `another key that is the newest one by now,${installation.env["SECRET_KEYS"]}`;
    const { of } = await examine(installation, { SECRET_KEYS });
    expect(of("secret key")).toMatchObject({ state: "warning", fix: expect.stringContaining("secrets reencrypt") });
  });

  it("reports a secret that no key decrypts, with its row", async () => {
    const installation = await installed();
    const stranger = createSecrets({ secretKeys: ["s".repeat(32)], epoch: 1 });
    await change(installation, async (store) => {
      const sealedSecret = await stranger.seal("totp", "lost");
      const userId = await idOfAnna(store);
      await store.q.insert(store.t.totpCredentials).values({ userId, sealedSecret, lastStep: 0, createdAt: at });
    });
    const { of } = await examine(installation);
    expect(of("sealed secrets")).toMatchObject({ state: "failed", found: expect.stringContaining("totp_credentials") });
  });

  it("reports unknown scopes, with the applications", async () => {
    const installation = await installed();
    await installation.gatehouse(ADD_CLIENT);
    await change(installation, (store) => store.q.update(store.t.clients).set({ scopes: ["openid", "everything"] }));
    const { of } = await examine(installation);
    expect(of("scopes of applications")).toMatchObject({
      state: "failed",
      found: expect.stringContaining("desk: everything"),
    });
  });

  it("reports a changed audit trail, and a clock that was set back", async () => {
    const installation = await installed();
    await change(installation, (store) =>
      store.q.update(store.t.auditEvents).set({ at: new Date("2126-01-01T00:00:00Z") }),
    );
    const { of } = await examine(installation);
    expect(of("audit trail")).toMatchObject({ state: "failed" });
    expect(of("clock")).toMatchObject({ state: "failed", found: expect.stringContaining("set back") });
  });

  it("reports a clock that was set back although later events were added with earlier times", async () => {
    const installation = await installed();
    const at = new Date("2126-01-01T00:00:00Z");
    const first = (store: Store) => eq(store.t.auditEvents.sequence, 1);
    await change(installation, (store) => store.q.update(store.t.auditEvents).set({ at }).where(first(store)));
    await installation.gatehouse(["user", "add", "later", "--display-name", "Later"]);
    expect((await examine(installation)).of("clock")).toMatchObject({
      state: "failed",
      found: expect.stringContaining("set back"),
    });
  });

  it("ignores files of other programs, such as the system's certificates", async () => {
    const installation = await installed();
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-certificates-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "ca-certificates.crt");
    writeFileSync(file, "certificates", { mode: 0o644 });
    const env = { SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS_FILE: file, PRODUCT_NAME_FILE: file };
    expect((await examine(installation, env)).of("secret files")).toMatchObject({ state: "skipped" });
  });

  it("reports a backup that is missing, and a folder for it that does not exist", async () => {
    const installation = await installed();
    const folder = join(dirname(installation.file), "usb");
    const { of } = await examine(installation, { BACKUP_DIR: folder });
    expect(of("backup")).toMatchObject({ state: "warning", found: `there is no backup in ${folder}` });
    expect(of("backup folder")).toMatchObject({ state: "failed", found: `${folder} does not exist` });
    await installation.gatehouse(["backup"]);
    const { of: later } = await examine(installation);
    expect(later("backup")).toMatchObject({ state: "ok", found: "the newest backup is 0 hours old" });
  });

  it("reports expired rows", async () => {
    const installation = await installed();
    await change(installation, (store) =>
      store.q.insert(store.t.rateLimits).values({ key: "k", points: 1, expiresAt: at }),
    );
    expect((await examine(installation)).of("expired rows")).toMatchObject({ state: "warning" });
  });

  it("reports security keys that are bound to another host", async () => {
    const installation = await installed();
    await change(installation, (store) => putKey(store, "old.example"));
    expect((await examine(installation)).of("security keys")).toMatchObject({ state: "failed" });
  });

  it.each([
    ["https without a proxy", { ISSUER: "https://login.localhost:9" }, "failed"],
    ["a block of everybody's addresses", { TRUST_PROXY: "10.0.0.0/7" }, "warning"],
    [
      "a proxy on this machine and a server that is reachable from the network",
      { TRUST_PROXY: "127.0.0.1", HOST: "0.0.0.0" },
      "warning",
    ],
    ["a proxy on this machine", { TRUST_PROXY: "127.0.0.1" }, "ok"],
  ])("judges the proxy addresses: %s", async (_what, env, state) => {
    const { of } = await examine(await installed(), env);
    expect(of("proxy addresses")).toMatchObject({ state });
  });

  it("reports a mail server and a provider that do not respond", async () => {
    const nowhere = `http://localhost:${await freePort()}`;
    const google = { GOOGLE_ISSUER: nowhere, GOOGLE_CLIENT_ID: "id", GOOGLE_CLIENT_SECRET: "secret" };
    const { of } = await examine(await installed(), { SMTP_URL: nowhere.replace("http", "smtp"), ...google });
    expect(of("mail server")).toMatchObject({ state: "failed", fix: expect.stringContaining("mail test") });
    expect(of("providers")).toMatchObject({
      state: "failed",
      found: expect.stringContaining("google is not reachable"),
    });
  });

  it("ends with 3 for a wrong configuration, before anything else", async () => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(["doctor"], { env: { PORT: "many" } })).exitCode).toBe(3);
  });
});

const plan = z.object({
  ok: z.boolean(),
  breaks: z.array(z.object({ kind: z.string(), name: z.string(), fix: z.string() })),
});

describe("doctor --plan", () => {
  async function planned({ gatehouse }: Installation, ...changes: string[]) {
    const done = await gatehouse(["doctor", "--json", "--plan", ...changes]);
    const { ok, breaks } = plan.parse(done.json());
    expect(done.exitCode).toBe(ok ? 0 : 1);
    return breaks.map(({ kind, name }) => `${kind} ${name}`);
  }

  it("lists users whose security keys, and applications whose issuer, a new URL would break", async () => {
    const installation = await installed();
    await installation.gatehouse(ADD_CLIENT);
    await change(installation, (store) => putKey(store, "localhost"));
    expect(await planned(installation, "issuer=https://login.example.com")).toEqual(["person anna", "client desk"]);
    expect(await planned(installation, "rpId=login.example.com")).toEqual(["person anna"]);
    expect(await planned(installation, "rpId=localhost")).toEqual([]);
    expect(await planned(installation, `issuer=${installation.env["ISSUER"]}`)).toEqual([]);
  });

  it("lists applications that request more scopes than would remain", async () => {
    const installation = await installed();
    await installation.gatehouse([...ADD_CLIENT, "--scope", "openid", "--scope", "orders"]);
    expect(await planned(installation, "scopes=openid,profile")).toEqual(["client desk"]);
    expect(await planned(installation, "scopes=openid,orders")).toEqual([]);
  });

  it.each(["issuer=nowhere", "rpId=", "scopes=everything", "port=1"])("ends with 2 for %s", async (change) => {
    const { gatehouse } = await createInstallation();
    expect((await gatehouse(["doctor", "--plan", change])).exitCode).toBe(2);
  });
});
