import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readEnvironmentFile, withKeys } from "#app/cli/setup/environment-file.server.ts";
import { createRoot, type NewRoot, options, setupArguments } from "#tests/http/setup/new-root.ts";
import { type RunOptions, run } from "./terminal.ts";

const SECRET = "a-secret-that-only-the-tests-know";

const setup = (root: NewRoot, args: readonly string[], given: RunOptions = {}) =>
  run(setupArguments(root.path, args), given);

const smtp = (changes: Readonly<Record<string, string>>) => options({ "--mail": "smtp", ...changes });

describe("setup without a terminal ends with 2 and writes nothing", () => {
  it.each([
    ["no options", [], "--address --product-name --imprint --mail --proxy --admin-name --admin-email"],
    ["one missing", options().slice(0, -2), "  --admin-email\n"],
    ["mail without its server", smtp({ "--smtp-user": "gate" }), "--smtp-server --smtp-password-file"],
    ["a wrong address", options({ "--address": "ftp://example.com" }), "--address is not an http or https URL"],
    ["an address with a path", options({ "--address": "example.com/login" }), 'did you mean "https://example.com"?'],
    ["a wrong kind of mail", options({ "--mail": "post" }), "expected: smtp, microsoft365 or none"],
    ["a wrong proxy", options({ "--proxy": "squid" }), "expected: caddy, nginx or own"],
    ["http behind a proxy", options({ "--address": "http://localhost:9", "--proxy": "caddy" }), "Use an https address"],
    ["a host name that nginx would read", options({ "--address": "https://a;b", "--proxy": "nginx" }), "https://a;b"],
    ["an address that gives no user name", options({ "--admin-email": "a+b@example.com" }), "--admin-username"],
    ["a missing file", smtp({ "--smtp-server": "a", "--smtp-user": "b", "--smtp-password-file": "/no" }), "(ENOENT)"],
    ["an empty secret", smtp({ "--smtp-server": "a", "--smtp-user": "b", "--smtp-password-file": "-" }), "not empty"],
  ])("%s", async (_what, args, message) => {
    const root = createRoot();
    const { exitCode, stdout, stderr } = await setup(root, args);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(root.files()).toEqual({});
  });

  it("for a secret of several lines, as its help says", async () => {
    const root = createRoot();
    const file = join(mkdtempSync(join(tmpdir(), "gatehouse-secret-")), "password");
    onTestFinished(() => rmSync(dirname(file), { recursive: true }));
    writeFileSync(file, `${SECRET}\na note\n`);
    const args = smtp({ "--smtp-server": "a", "--smtp-user": "b", "--smtp-password-file": file });
    const { exitCode, stderr } = await setup(root, args);
    expect([exitCode, root.files()]).toEqual([2, {}]);
    expect(stderr).toContain("must be one line");
    expect((await run(["setup", "--help"])).stdout).toContain("an option with FILE reads a file of one line");
  });

  it("and repeats no password that was passed with the mail server", async () => {
    const root = createRoot();
    const { exitCode, stderr } = await setup(root, smtp({ "--smtp-server": `smtp://gate:${SECRET}@localhost` }));
    expect([exitCode, root.files()]).toEqual([2, {}]);
    expect(stderr).toContain("--smtp-server contains a user name or a password");
    expect(stderr).not.toContain(SECRET);
  });

  it("a wrong configuration of an existing file ends with 3", async () => {
    const root = createRoot();
    mkdirSync(root.at("etc/gatehouse"), { recursive: true });
    writeFileSync(root.at("etc/gatehouse/gatehouse.env"), "LOG_LEVEL=loud\n");
    const before = root.files();
    const { exitCode, stderr } = await setup(root, options());
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining("LOG_LEVEL")]);
    expect(root.files()).toEqual(before);
  });
});

describe("setup on a terminal", () => {
  it("asks again after a refused answer, and writes nothing before the last one", async () => {
    const root = createRoot();
    const answers = ["", "ftp://example.com", "localhost:9", "Example", "www.example.com", "post", "none"];
    const { exitCode, stdout, stderr } = await setup(root, [], { answers });
    expect([exitCode, stdout, root.files()]).toEqual([2, "", {}]);
    expect(stderr.match(/Public address/g)).toHaveLength(3);
    expect(stderr).toContain("The answer is empty.");
    expect(stderr).toContain('The answer is not an http or https URL: "ftp://example.com"');
    expect(stderr.match(/Mail: /g)).toHaveLength(2);
    expect(stderr).toMatch(/Proxy: caddy, nginx, own: /);
    expect(stderr).toContain("No answer was entered.");
  });

  it("asks for secrets without showing them", async () => {
    const root = createRoot();
    const answers = ["localhost:9", "Example", "www.example.com", "smtp", "localhost:9", "gate", SECRET, ""];
    const { exitCode, stderr } = await setup(root, [], { answers });
    expect([exitCode, root.files()]).toEqual([2, {}]);
    expect(stderr).toContain("Password at the mail server (not shown): ");
    expect(stderr).toMatch(/Proxy: /);
    expect(stderr).not.toContain(SECRET);
  });
});

describe("an environment file", () => {
  const values = {
    PRODUCT_NAME: "Example",
    IMPRINT_URL: "https://example.com/a?b=c&d=$(id)#e",
    APP_URL: "https://example.com/`id`",
    MAIL_FROM: 'Anna\'s "Sons" \\ & $HOME `id` <login@example.com>',
    SUPPORT_CONTACT: '"Anna" \\ $HOME',
  };

  it("contains values with any characters, as the shell reads them", () => {
    const root = createRoot();
    writeFileSync(root.at("env"), withKeys("# Mine\nPORT=8080", values));
    expect(readEnvironmentFile(root.at("env"))).toEqual({ PORT: "8080", ...values });
    expect(root.read("env")).toMatch(/^# Mine\nPORT=8080\nPRODUCT_NAME=Example\n/);
  });

  it("quotes them as systemd.exec(5) describes", () => {
    const text = withKeys("", values);
    expect(text).toContain("SUPPORT_CONTACT='\"Anna\" \\ $HOME'\n");
    expect(text).toContain(`MAIL_FROM="Anna's \\"Sons\\" \\\\ & \\$HOME \\\`id\\\` <login@example.com>"\n`);
  });

  it.each(["A=1\nAPP_URL=https://example.com/?a=b&c=d\n", 'APP_URL="https://example.com/$$"', "APP_URL=`id`"])(
    "is refused if the shell would drop or replace a part of a value: %j",
    (text) => {
      const root = createRoot();
      writeFileSync(root.at("env"), text);
      expect(() => readEnvironmentFile(root.at("env"))).toThrow(
        `The shell cannot read the value of APP_URL in ${root.at("env")}`,
      );
    },
  );

  it("that the shell cannot read is named", () => {
    const root = createRoot();
    writeFileSync(root.at("env"), "PRODUCT_NAME=Example Brokers\n");
    expect(() => readEnvironmentFile(root.at("env"))).toThrow(`${root.at("env")} cannot be read by the shell`);
  });
});
