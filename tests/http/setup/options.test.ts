import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readEnvironmentFile } from "#app/cli/setup/environment-file.server.ts";
import type { Ended } from "#tests/http/crash/command.ts";
import {
  AS_NOBODY,
  createRoot,
  IS_ROOT,
  linksIn,
  type NewRoot,
  options,
  SERVICE,
  temporaryFilesIn,
} from "./new-root.ts";

// A setup starts four processes.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const PASSWORD = "p@ss word/of:the mail server";
const CLIENT_SECRET = "a-client-secret-of-the-tests";
const CONFIG = "etc/gatehouse";

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe("setup with all answers as options", () => {
  const removals: (() => void)[] = [];
  let root: NewRoot;
  let first: Ended;

  beforeAll(async () => {
    root = createRoot({ remove: (task) => removals.push(task) });
    const smtp = {
      "--mail": "smtp",
      "--smtp-server": "localhost:9",
      "--smtp-user": "gate",
      "--smtp-password-file": "-",
    };
    first = await root.setup(options({ ...smtp, "--product-name": `Anna's "Sons" & $HOME` }), {
      stdin: `${PASSWORD}\n`,
    });
  });
  afterAll(() => {
    for (const remove of removals) remove();
  });

  test("writes the configuration, with owners and modes", () => {
    expect([first.code, first.stderr]).toEqual([0, expect.stringContaining("The configuration is complete.")]);
    expect(readEnvironmentFile(root.at(`${CONFIG}/gatehouse.env`))).toEqual({
      ISSUER: "https://localhost:9",
      TRUST_PROXY: "127.0.0.1",
      DATABASE_URL: `sqlite:${root.at("var/lib/gatehouse/gatehouse.sqlite")}`,
      BACKUP_DIR: root.at("var/backups/gatehouse"),
      PRODUCT_NAME: `Anna's "Sons" & $HOME`,
      APP_URL: "https://localhost:9/manage/open",
      IMPRINT_URL: "https://www.example.com/imprint",
      ADMIN_MAIL: "anna.berger@example.com",
    });
    const modes = ["", "/gatehouse.env", "/secret-keys", "/smtp-url"].map((name) => modeOf(root.at(CONFIG + name)));
    expect(modes).toEqual(["700", "600", "600", "600"]);
    for (const name of ["var/lib/gatehouse", "var/backups/gatehouse", "var/lib/gatehouse/gatehouse.sqlite"]) {
      const { uid, gid } = statSync(root.at(name));
      if (IS_ROOT) expect([name, uid, gid]).toEqual([name, SERVICE.uid, SERVICE.gid]);
      expect(modeOf(root.at(name))).toMatch(/^[67]00$/);
    }
  });

  test("passes the password of the mail server to the service in a file of its own", () => {
    expect(root.read(`${CONFIG}/smtp-url`)).toBe(`smtp://gate:${encodeURIComponent(PASSWORD)}@localhost:9\n`);
    const dropIn = root.read("etc/systemd/system/gatehouse.service.d/mail.conf");
    expect(dropIn).toContain(
      `\nLoadCredential=smtp-url:${root.at(CONFIG)}/smtp-url\nEnvironment=SMTP_URL_FILE=%d/smtp-url\n`,
    );
  });

  test("prints one link and no other secret", () => {
    const link = first.stdout.trim().split("\n").at(-1) ?? "";
    expect(linksIn(first.stdout + first.stderr)).toEqual([link]);
    expect(link).toMatch(/^https:\/\/localhost:9\/password-reset\/reset-form\?reset_token=[\w-]{43}$/);
    const others = [PASSWORD, encodeURIComponent(PASSWORD), root.read(`${CONFIG}/secret-keys`).trim()];
    for (const secret of others) expect(first.stdout + first.stderr).not.toContain(secret);
  });

  test("run again changes no file, shows what is set, and creates no second link", async () => {
    const before = root.files();
    const again = await root.setup([]);
    expect([again.code, linksIn(again.stdout + again.stderr)]).toEqual([0, []]);
    expect(again.stdout).toContain("https://localhost:9\n");
    expect(again.stdout).toContain("mail            localhost:9\n");
    expect(again.stdout).toContain("anna.berger (has not signed in)");
    expect(again.stderr).toContain("gatehouse setup --new-link");
    const renewed = await root.setup(["--address", "localhost:9", "--new-link", "--json"]);
    const { url } = Object(JSON.parse(renewed.stdout));
    expect(linksIn(url)).not.toEqual(linksIn(first.stdout));
    expect(root.files()).toEqual(before);
  });

  test("run again with another answer is refused and changes nothing", async () => {
    const before = root.files();
    const refused = await root.setup(["--address", "https://localhost:10", "--imprint", "https://other.example.com"]);
    expect([refused.code, refused.stdout]).toEqual([5, ""]);
    expect(refused.stderr).toContain("Nothing was changed: ISSUER, IMPRINT_URL already has another value.");
    expect(root.files()).toEqual(before);
  });

  test("creates no new secret key for an existing database", async () => {
    rmSync(root.at(`${CONFIG}/secret-keys`));
    const refused = await root.setup([]);
    expect([refused.code, refused.stdout]).toEqual([5, ""]);
    expect(refused.stderr).toContain("its secret key");
  });
});

test("setup of the system is refused for another user than root", async () => {
  const root = createRoot();
  const { code, stderr } = await root.setup(["--root", "/"], { through: IS_ROOT ? AS_NOBODY : [] });
  expect([code, stderr]).toEqual([5, expect.stringContaining("sudo gatehouse setup")]);
});

describe("setup below another root folder", () => {
  test("as another user gives all files to this user", async () => {
    const root = createRoot({ owner: 65_534 });
    const { code, stderr } = await root.setup(options(), { through: IS_ROOT ? AS_NOBODY : [] });
    expect([code, stderr]).toEqual([0, expect.anything()]);
    const owners = Object.entries(root.files()).map(([, text]) => text.split(" ")[1]);
    expect(new Set(owners)).toEqual(new Set([String(IS_ROOT ? 65_534 : process.getuid?.())]));
  });

  test("keeps keys of an existing file, replaces the rest of an ended setup, and starts the service with systemd", async () => {
    const root = createRoot();
    const ready = createServer((_request, response) => response.end('{"status":"ready","checks":{}}')).listen(
      0,
      "127.0.0.1",
    );
    await new Promise((resolve) => ready.once("listening", resolve));
    const { port } = ready.address() as AddressInfo;
    const { setup, log } = withSystemctl(root);
    mkdirSync(root.at(CONFIG), { recursive: true });
    writeFileSync(root.at(`${CONFIG}/gatehouse.env`), `# Mine.\nPORT=${port}\nLOG_LEVEL="warn"`);
    writeFileSync(root.at(`${CONFIG}/smtp-url`), "smtp://left:over@localhost:9\n");
    writeFileSync(root.at(`${CONFIG}/gatehouse.env.1.part`), "left over");
    try {
      const { code, stderr } = await setup(options({ "--proxy": "caddy" }));
      expect([code, stderr]).toEqual([0, expect.stringContaining("systemctl restart gatehouse")]);
      expect(root.read(`${CONFIG}/gatehouse.env`)).toMatch(/^# Mine\.\nPORT=\d+\nLOG_LEVEL="warn"\nISSUER=/);
      expect(Object.keys(root.files())).not.toContain(`${CONFIG}/smtp-url`);
      expect(temporaryFilesIn(root.at(CONFIG))).toEqual([]);
      expect(root.read("etc/caddy/Caddyfile")).toContain(`reverse_proxy 127.0.0.1:${port} {`);
      const started = ["daemon-reload", "enable gatehouse", "restart gatehouse", "reload-or-restart caddy"];
      expect(log()).toEqual(started);
      // Until an administrator can sign in, the proxy loads its file again; a running service is not restarted.
      expect((await setup([])).code).toBe(0);
      expect(log().slice(started.length)).toEqual(started.with(2, "start gatehouse"));
    } finally {
      ready.close();
    }
  });

  test("ends with 1, and creates no link, if the service is started but ends", async () => {
    const root = createRoot();
    const { setup } = withSystemctl(root, '[ "$1" != show ] || echo failed');
    writeFileSync(root.at("bin/journalctl"), "#!/bin/sh\necho EADDRINUSE\n", { mode: 0o755 });
    const { code, stdout, stderr } = await setup(options());
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /started and has ended\.\nThe end of its journal:\n {2}EADDRINUSE\n.*run gatehouse setup again/s,
    );
  });

  test("with mail through Microsoft 365 ends with 1 if the service does not start, and continues when it is run again", async () => {
    const root = createRoot();
    const { setup } = withSystemctl(root, 'case "$*" in "restart gatehouse") echo broken >&2; exit 1;; esac');
    const tenant = "11111111-2222-3333-4444-555555555555";
    const oauth = { "--mail-tenant": tenant, "--mail-client-id": "client", "--mail-client-secret-file": "-" };
    const mail = { "--mail": "microsoft365", "--mail-from": "login@example.com", ...oauth };
    const failed = await setup(options(mail), { stdin: CLIENT_SECRET });
    expect([failed.code, failed.stdout]).toEqual([1, ""]);
    expect(failed.stderr).toContain("systemctl restart gatehouse failed: broken");
    expect(failed.stderr).not.toContain(CLIENT_SECRET);
    expect(readEnvironmentFile(root.at(`${CONFIG}/gatehouse.env`))).toMatchObject({
      SMTP_URL: "smtp://smtp.office365.com:587",
      MAIL_FROM: "login@example.com",
      MAIL_OAUTH_TENANT: tenant,
      MAIL_OAUTH_CLIENT_ID: "client",
    });
    expect(root.read(`${CONFIG}/mail-oauth-client-secret`)).toBe(`${CLIENT_SECRET}\n`);
    expect(root.read("etc/systemd/system/gatehouse.service.d/mail.conf")).toContain(
      "Environment=MAIL_OAUTH_CLIENT_SECRET_FILE=%d/mail-oauth-client-secret\n",
    );

    // Without mail from here on, so that no test connects to a mail server of others.
    const kept = root.read(`${CONFIG}/gatehouse.env`).replace(/^(MAIL_|SMTP_).*\n/gm, "");
    writeFileSync(root.at(`${CONFIG}/gatehouse.env`), kept);
    rmSync(root.at(`${CONFIG}/mail-oauth-client-secret`));
    rmSync(root.at("run"), { recursive: true });
    const again = await root.setup([]);
    expect([again.code, linksIn(again.stdout).length]).toEqual([0, 1]);
  });
});

/** Puts a program in place of systemctl that records its arguments. */
function withSystemctl(root: NewRoot, script = "") {
  const bin = root.at("bin");
  mkdirSync(bin);
  mkdirSync(root.at("run/systemd/system"), { recursive: true });
  writeFileSync(root.at("bin/systemctl"), `#!/bin/sh\necho "$*" >> ${root.at("systemctl.log")}\n${script}\n`);
  chmodSync(root.at("bin/systemctl"), 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}` };
  return {
    setup: (args: readonly string[], given = {}) => root.setup(args, { ...given, env }),
    log: () => root.read("systemctl.log").trim().split("\n"),
  };
}
