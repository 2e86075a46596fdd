export type ToolName =
  | "nginx"
  | "caddy"
  | "apache2"
  | "systemd-analyze"
  | "strace"
  | "sqlite3"
  | "lynx"
  | "jq"
  | "promtool"
  | "python3"
  | "usr/lib/python3/dist-packages/authlib/__init__.py"
  | "usr/lib/python3/dist-packages/flask/__init__.py"
  | "usr/lib/python3/dist-packages/requests/__init__.py"
  | "usr/lib/apache2/modules/mod_auth_openidc.so"
  | "lintian"
  | "buildah"
  | "firefox-esr"
  | "WebKitWebDriver"
  | "Xvfb"
  | "proot"
  | "qemu-aarch64"
  | "debootstrap"
  | "systemd-nspawn";
export type DebianTool = { program: string; env: NodeJS.ProcessEnv; root: string };
export type SetName =
  | "debian-tools"
  | "debian-lintian"
  | "debian-image"
  | "debian-emulator"
  | "debian-machine"
  | "debian-browsers";
export const DEBIAN_BASE: string;
export const ARM64_LIBRARIES: string;
export function ensureArm64Libraries(say: (step: string) => void): Promise<void>;
export function missingPackages(set: SetName): string[];
export function ensureDebianTools(set: SetName, say: (step: string) => void): Promise<void>;
export function ensureDebianBase(say: (step: string) => void): Promise<void>;
export function findDebianTool(name: ToolName): DebianTool | null;
