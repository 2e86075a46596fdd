export type ToolName =
  | "nginx"
  | "apache2"
  | "systemd-analyze"
  | "strace"
  | "sqlite3"
  | "lynx"
  | "firefox-esr"
  | "WebKitWebDriver"
  | "Xvfb"
  | "proot";
export type DebianTool = { program: string; env: NodeJS.ProcessEnv; root: string };
export type SetName = "debian-tools" | "debian-browsers";
export function missingPackages(set: SetName): string[];
export function ensureDebianTools(set: SetName, say: (step: string) => void): Promise<void>;
export function findDebianTool(name: ToolName): DebianTool | null;
