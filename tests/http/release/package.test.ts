import { execFile, execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { addClient, addUser } from "#tests/http/crash/command.ts";
import { findSignedInUser } from "#tests/http/login/live-session.ts";
import { signIn } from "#tests/http/oidc/browser-steps.ts";
import { redirectParameters } from "#tests/http/oidc/responses.ts";
import { createBrowser } from "#tests/support/browser-jar.ts";
import { startChildServer } from "#tests/support/child-server.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { freePort } from "#tests/support/free-port.ts";
import { createRelyingParty } from "#tests/support/relying-party.ts";
import { TEST_PASSWORD } from "#tests/support/server.ts";
import { ROOT, readText } from "#tests/support/source-tree.ts";
import { filesIn, readElfMachine } from "../../../scripts/release/files.mjs";
import {
  buildRelease,
  bundledText,
  copyOfSources,
  EPOCH,
  PACKAGE,
  PROGRAM,
  RELEASE,
  titleOf,
  unpack,
  VERSION,
} from "./build-release.ts";
import { buildImage } from "./image.ts";

const BUILD_TIMEOUT_MS = 20 * 60_000;
const LINTIAN_TIMEOUT_MS = 10 * 60_000;

/** `e_machine` of ELF files: x86-64 and AArch64. */
const MACHINES = [
  { platform: "linux-x64", machine: 62 },
  { platform: "linux-arm64", machine: 183 },
];

const run = promisify(execFile);
const release = join(ROOT, RELEASE);

/** Returns the value of a field of the Debian package. */
const fieldOf = (name: string) => execFileSync("dpkg-deb", ["-f", join(release, PACKAGE), name], { encoding: "utf8" });

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-release-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

beforeAll(() => buildRelease(ROOT), BUILD_TIMEOUT_MS);

describe("the release", () => {
  it(
    "has the same bytes when it is built elsewhere, with another time zone, language and umask",
    async () => {
      const copy = await copyOfSources();
      await buildRelease(copy, { umask: "077", env: { TZ: "Asia/Tokyo", LC_ALL: "C", LANG: "de_DE.UTF-8" } });
      const other = join(copy, RELEASE);
      for (const { platform } of MACHINES) {
        const names = filesIn(join(release, platform));
        expect(filesIn(join(other, platform))).toEqual(names);
        const same = (name: string) => readFileSync(join(release, name)).equals(readFileSync(join(other, name)));
        expect(names.filter((name) => !same(join(platform, name)))).toEqual([]);
      }
      expect(readFileSync(join(other, PACKAGE)).equals(readFileSync(join(release, PACKAGE)))).toBe(true);
    },
    BUILD_TIMEOUT_MS,
  );

  it("has at most 170 MB installed and 55 MB packed", () => {
    expect(Number(fieldOf("Installed-Size")) * 1024).toBeLessThan(170e6);
    expect(statSync(join(release, PACKAGE)).size).toBeLessThan(55e6);
  });

  it.each(MACHINES)("contains the programs of $platform alone", ({ platform, machine }) => {
    const folder = join(release, platform, PROGRAM);
    const machines = filesIn(folder).map((name) => [name, readElfMachine(join(folder, name))]);
    expect(machines.filter(([, found]) => found !== null)).toEqual([
      ["node", machine],
      [`node_modules/@node-rs/argon2-${platform}-gnu/argon2.${platform}-gnu.node`, machine],
      [`node_modules/bcrypt/prebuilds/${platform}/bcrypt.glibc.node`, machine],
      [`node_modules/better-sqlite3/prebuilds/${platform}.node`, machine],
    ]);
  });

  it("contains the licences of Node and of all packages in it", () => {
    const folder = join(release, "linux-x64", PROGRAM);
    const licences = readFileSync(join(folder, "licences.txt"), "utf8");
    // esbuild writes the path of each module before it.
    const modules = bundledText(folder).matchAll(/^\/\/ (.*node_modules\/(?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gm);
    const bundled = [...modules].map(([, path = ""]) => path);
    const staged = filesIn(join(folder, "node_modules")).filter((name) => name.endsWith("package.json"));
    const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(readText("package.json"));
    const folders = [
      ...bundled,
      ...staged.map((name) => join("node_modules", name, "..")),
      // The pages' scripts contain some of them.
      ...Object.keys(dependencies).map((name) => join("node_modules", name)),
    ];
    expect(new Set(bundled).size).toBeGreaterThan(150);
    const titles = [...new Set(folders)].map(titleOf);
    expect(titles.filter((title) => !licences.includes(`\n${title} (`))).toEqual([]);
    expect(licences).toContain("The Gatehouse authors");
    const node = execFileSync(join(folder, "node"), ["--version"], { encoding: "utf8" }).trim().slice(1);
    expect(node.split(".")[0]).toBe(readText(".nvmrc").trim());
    expect(licences).toContain(`\nNode.js ${node}\n`);
    expect(licences).toContain("Node.js contributors. All rights reserved.");
  });
});

describe("the Debian package", () => {
  it("has version and author of package.json, root's files, and no file that its user could change", () => {
    expect(fieldOf("Version").trim()).toBe(VERSION);
    expect(fieldOf("Maintainer").trim()).toBe(JSON.parse(readText("package.json")).author);
    const lines = execFileSync("dpkg-deb", ["-c", join(release, PACKAGE)], { encoding: "utf8" })
      .trim()
      .split("\n");
    const owned = lines.map((line) => line.split(/\s+/, 2));
    expect(owned.filter(([mode = "", owner]) => mode[5] !== "-" || mode[8] !== "-" || owner !== "root/root")).toEqual(
      [],
    );
  });

  it(
    "is accepted by lintian",
    async () => {
      const { program, env } = requireDebianTool("lintian");
      const args = ["--fail-on=error,warning", "--allow-root", join(release, PACKAGE)];
      const { stdout } = await run(program, args, { env });
      expect(stdout).toBe("");
    },
    LINTIAN_TIMEOUT_MS,
  );

  it("starts with its own Node on an empty database, signs a user in and stops, without any other program", async () => {
    const folder = temporaryFolder();
    await unpack(join(release, PACKAGE), folder);
    const node = join(folder, PROGRAM, "node");
    const database = join(folder, "gatehouse.sqlite");
    writeFileSync(database, "", { mode: 0o600 });
    // The colour, because its library is loaded by a path of its own.
    const env = { DATABASE_URL: `sqlite:${database}`, PATH: "/nonexistent", ACCENT_COLOR: "#8a3ffc" };
    const server = await startChildServer({ command: [node, join(folder, PROGRAM, "main.js")], env });
    onTestFinished(() => server.remove());

    const user = { username: "anna", password: TEST_PASSWORD };
    const { id } = await addUser(server, user);
    const party = createRelyingParty({ issuer: server.url, client: await addClient(server, "suite") });
    const request = party.request();
    const response = await signIn(createBrowser({ base: server.url }), request, { ...user, id, displayName: "Anna" });
    expect(redirectParameters(response)).toHaveProperty("code");
    expect(await server.stop()).toBe(0);
  });

  it("contains everything that its native modules load", async () => {
    const folder = temporaryFolder();
    await unpack(join(release, PACKAGE), folder);
    const script = `
      const load = require("node:module").createRequire(process.argv[1]);
      const Database = load("better-sqlite3");
      const { one } = new Database(":memory:").prepare("SELECT 1 AS one").get();
      const argon2 = load("@node-rs/argon2").hashSync("x");
      const bcrypt = load("bcrypt").hashSync("x", 4);
      console.log(one, argon2.split("$")[1], bcrypt.slice(0, 3));`;
    const program = join(folder, PROGRAM);
    const { stdout } = await run(join(program, "node"), ["-e", script, join(program, "main.js")], {
      env: { NODE_ENV: "production" },
    });
    expect(stdout).toBe("1 argon2id $2b\n");
  });
});

describe("the image", () => {
  it(
    "serves on all addresses as a user that can write to its volumes only, is healthy, and keeps the data in them",
    async () => {
      const image = await buildImage(join(release, "linux-x64"), { version: VERSION, epoch: EPOCH });
      // "gatehouse" in the compose file, as Docker and as podman complete it.
      expect(image.tags).toEqual(["docker.io/library/gatehouse:latest", "localhost/gatehouse:latest"]);
      expect(image.User).toBe("10001:10001");
      const owned = filesOf(image.root, 10_001);
      expect(owned.sort()).toEqual(Object.keys(image.Volumes).sort());

      const port = await freePort();
      const url = `http://localhost:${port}`;
      const links = { APP_URL: "http://localhost/app", IMPRINT_URL: "http://localhost/imprint" };
      const env = { PORT: String(port), ISSUER: url, SECRET_KEYS: "a secret key that only the tests know", ...links };
      const [kind, ...check] = image.Healthcheck.Test;
      const isHealthy = async () => {
        const [program = "", ...args] = image.command(env, check);
        return run(program, args).then(
          () => true,
          () => false,
        );
      };
      expect([kind, await isHealthy()]).toEqual(["CMD", false]);
      const command = image.command(env, [...image.Entrypoint, ...image.Cmd]);
      const server = await startChildServer({ command, args: [], env: { PORT: env.PORT } });
      onTestFinished(() => server.remove());
      expect(await isHealthy()).toBe(true);
      expect(readFileSync(`/proc/${server.pid()}/status`, "utf8")).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m);
      // An address of this machine at which a server on 127.0.0.1 is not reachable.
      expect((await fetch(`http://127.0.0.2:${port}/readyz`)).status).toBe(200);

      const database = `sqlite:${join(image.root, "var/lib/gatehouse/gatehouse.sqlite")}`;
      const inside = { env: { ...server.env, ...env, DATABASE_URL: database } };
      const party = createRelyingParty({ issuer: url, client: await addClient(inside, "suite") });
      const typed = { username: "anna", password: TEST_PASSWORD };
      const anna = { ...typed, ...(await addUser(inside, typed)), displayName: "Anna" };
      const browser = createBrowser({ base: url });
      expect(redirectParameters(await signIn(browser, party.request(), anna))).toHaveProperty("code");
      expect(await server.stop()).toBe(0);
      await server.start();
      expect(await findSignedInUser(party, browser)).toBe(anna.id);
    },
    BUILD_TIMEOUT_MS,
  );
});

/** Returns the files and folders of a user below a folder, as absolute paths in it. */
function filesOf(root: string, uid: number): string[] {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names.filter((name) => lstatSync(join(root, name)).uid === uid).map((name) => `/${name}`);
}
