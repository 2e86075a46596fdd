export type ToolName = "nginx" | "apache2" | "systemd-analyze" | "strace" | "sqlite3";
export type DebianTool = { program: string; env: NodeJS.ProcessEnv; root: string };
export function ensureDebianTools(say: (step: string) => void): Promise<void>;
export function findDebianTool(name: ToolName): DebianTool | null;
