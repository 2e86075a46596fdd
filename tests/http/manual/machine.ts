import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { AS_NOBODY, IS_ROOT, options, SERVICE } from "#tests/http/setup/new-root.ts";
import { type Answer, onTerminal } from "#tests/http/setup/terminal.ts";
import { createDebianTree, type DebianTree } from "#tests/http/upgrade/debian-tree.ts";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { freePort } from "#tests/support/free-port.ts";

/** Paths of the manuals that are folders of the machine. */
const PATHS = [
  "/etc/gatehouse",
  "/etc/prometheus",
  "/etc/bash_completion.d",
  "/usr/lib/gatehouse",
  "/var/lib/gatehouse",
  "/var/backups/gatehouse",
  "/mnt/usb",
];

/** Folders of which only the service's user can read the files. */
const OWNED_BY_SERVICE = ["/var/lib/gatehouse", "/var/backups/gatehouse"];

/** True if commands change to another user, as they do for root on a real machine. */
export const CHANGES_USER = SERVICE.uid !== 0;

/** A machine on which an administrator follows the manuals: a folder, and programs in place of those of the system. */
export type Machine = {
  tree: DebianTree;
  metricsPort: number;
  /** The path of a file of the machine. */
  at(path: string): string;
  read(path: string): string;
  /** Replaces the paths, ports and names of the manuals by those of this machine. */
  here(text: string): string;
  /**
   * Runs commands of a manual in bash, on a terminal, in a home folder that only root can read. Throws if one of them fails.
   *
   * @returns what the screen showed
   */
  run(commands: string, options?: { answers?: readonly Answer[] }): Promise<string>;
  /** Puts a package into the home folder. */
  bringPackage(file: string): void;
  remove(): Promise<void>;
};

/** Creates a machine without Gatehouse. The package of `apt install ./gatehouse_X_amd64.deb` is the last one brought. */
export async function createMachine(): Promise<Machine> {
  const tree = await createDebianTree({ asService: CHANGES_USER ? AS_NOBODY : [] });
  const metricsPort = await freePort();
  const at = (path: string) => join(tree.root, path);
  for (const name of ["gatehouse.env", "secret-keys"]) rmSync(at(`/etc/gatehouse/${name}`));
  chmodSync(tree.root, 0o755);
  for (const path of [...PATHS, "/administrator", "/programs"]) mkdirSync(at(path), { recursive: true });
  for (const path of ["/etc/gatehouse", "/administrator", ...OWNED_BY_SERVICE]) chmodSync(at(path), 0o700);
  if (CHANGES_USER) for (const path of OWNED_BY_SERVICE) chownSync(at(path), SERVICE.uid, SERVICE.gid);
  const port = new URL(tree.url).port;
  writePrograms(at, port);
  const replacements: readonly (readonly [string, string])[] = [
    ...PATHS.map((path) => [path, at(path)] as const),
    ["127.0.0.1:3000", `127.0.0.1:${port}`],
    ["127.0.0.1:9464", `127.0.0.1:${metricsPort}`],
    ["gatehouse_X_amd64.deb", "gatehouse.deb"],
    // The account that sysusers.d creates, and that of the container.
    ["-o gatehouse -g gatehouse", CHANGES_USER ? `-o ${SERVICE.uid} -g ${SERVICE.gid}` : ""],
    ["chown 10001", IS_ROOT ? "chown 10001" : `chown ${process.getuid?.()}`],
  ];
  const here = (text: string) => replacements.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
  const env = {
    PATH: `${at("/programs")}:${at("/bin")}:${process.env.PATH}:/usr/sbin:/sbin`,
    NODE_ENV: "production",
    DPKG_ROOT: tree.root,
  } as const;
  return {
    tree,
    metricsPort,
    at,
    here,
    read: (path) => readFileSync(at(path), "utf8"),
    async run(commands, { answers = [] } = {}) {
      writeFileSync(at("/administrator/commands"), here(commands));
      const { code, screen } = await onTerminal("bash -e commands", { answers, env, cwd: at("/administrator") });
      const text = stripVTControlCharacters(screen).replaceAll("\r", "");
      if (code !== 0) throw new Error(`ended with ${code}:\n${commands}\n${text}`);
      return text;
    },
    bringPackage: (file) => copyFileSync(file, at("/administrator/gatehouse.deb")),
    remove: () => tree.remove(),
  };
}

/** Programs in place of those that would change the system, or need systemd. */
function writePrograms(at: (path: string) => string, port: string): void {
  const root = at("/");
  const forced = "--force-script-chrootless --force-not-root --force-bad-path --force-unsafe-io";
  const service = SERVICE.name;
  const answers = options({ "--proxy": "caddy" }).map((word) => `'${word}'`);
  const programs = {
    // Installs local packages with dpkg. Others, such as caddy, are not installed.
    apt: `set -e
for name in "$@"; do case $name in ./*.deb) dpkg --root=${root} ${forced} --install "$name";; esac; done`,
    // Records its arguments. Starts and stops the service of Gatehouse.
    systemctl: `echo "$*" >> ${at("/run/systemctl.log")}
case "$*" in
  "enable --now gatehouse") exec ${at("/bin/systemctl")} start gatehouse ;;
  "restart gatehouse") ${at("/bin/systemctl")} stop gatehouse; exec ${at("/bin/systemctl")} start gatehouse ;;
  *) exec ${at("/bin/systemctl")} "$@" ;;
esac`,
    // The log of the service, between lines that systemd 252 writes, and an error, because a healthy server logs none. It
    // ends, also with -f.
    journalctl: `echo "Starting gatehouse.service - Gatehouse, sign-in and accounts..."
echo "Started gatehouse.service - Gatehouse, sign-in and accounts."
cat ${at("/run/log")}
echo '{"level":50,"time":"2026-11-27T01:30:00.000Z","error":{"message":"disk I/O error"},"msg":"unexpected error"}'
echo "Stopping gatehouse.service - Gatehouse, sign-in and accounts..."
echo "gatehouse.service: Deactivated successfully."
echo "gatehouse.service: Consumed 1.234s CPU time."`,
    // Setup gets its answers as options, the root folder, and a port of the tests. tests/http/setup answers its questions.
    gatehouse: `case $1 in
  setup)
    echo PORT=${port} > ${at("/etc/gatehouse/gatehouse.env")}
    set -- "$@" --root ${root} --service-user ${service} ${answers.join(" ")} ;;
esac
exec ${at("/usr/bin/gatehouse")} "$@"`,
    jq: debianProgram("jq"),
    promtool: debianProgram("promtool"),
  };
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(at(`/programs/${name}`), `#!/bin/sh\n${script}\n`);
    chmodSync(at(`/programs/${name}`), 0o755);
  }
}

/** Returns a script that runs a program of Debian with its libraries. */
function debianProgram(name: "jq" | "promtool"): string {
  const { program, env } = requireDebianTool(name);
  return `LD_LIBRARY_PATH='${env["LD_LIBRARY_PATH"] ?? ""}' exec ${program} "$@"`;
}
