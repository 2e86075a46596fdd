import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import type { DebianTool, ToolName } from "../../../scripts/debian-tools.mjs";

/** Where programs look by full names, and what there no running program looks into. */
const LOOKED_INTO = ["/etc", "/usr/bin", "/usr/lib", "/usr/libexec", "/usr/share"];
const UNUSED = ["bash-completion", "bug", "doc", "lintian", "locale", "man"].map((name) => `/usr/share/${name}`);

/** How deep packages share folders, `/usr/share/X11/xkb` being the deepest. */
const MAX_DEPTH = 4;

/** How to start a program: this one first, with these arguments, in this environment. */
export type Start = { program: string; args: readonly string[]; env: NodeJS.ProcessEnv };

/**
 * How to start a program that looks for its parts by their full names. Where it is unpacked and not installed, proot shows
 * it what was unpacked at the places where the system has nothing; that needs neither root nor a namespace.
 */
export function startInPlace(name: ToolName, args: readonly string[]): Start {
  const tool = requireDebianTool(name);
  if (tool.root === "/") return { program: tool.program, args, env: tool.env };
  const proot = requireDebianTool("proot");
  const missing = LOOKED_INTO.flatMap((folder) => missingFrom(tool, folder));
  const binds = missing.flatMap((path) => ["-b", `${join(tool.root, path)}:${path}`]);
  return { program: proot.program, args: [...binds, tool.program, ...args], env: tool.env };
}

/** What was unpacked and is not in the system; libraries are found without it, by the environment. */
function missingFrom(tool: Pick<DebianTool, "root">, folder: string, depth = 1): string[] {
  if (!existsSync(join(tool.root, folder))) return [];
  const names = readdirSync(join(tool.root, folder)).filter((name) => !/\.so(\.|$)/.test(name));
  return names.flatMap((name) => {
    const path = join(folder, name);
    if (UNUSED.includes(path)) return [];
    if (!existsSync(path)) return existsSync(join(tool.root, path)) ? [path] : [];
    return depth < MAX_DEPTH && statSync(join(tool.root, path)).isDirectory() ? missingFrom(tool, path, depth + 1) : [];
  });
}
