import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import type { DebianTool, ToolName } from "../../../scripts/debian-tools.mjs";

/** Folders of absolute paths that programs use; UNUSED are the subfolders that no running program reads. */
const LOOKED_INTO = ["/etc", "/usr/bin", "/usr/lib", "/usr/libexec", "/usr/share"];
const UNUSED = ["bash-completion", "bug", "doc", "lintian", "locale", "man"].map((name) => `/usr/share/${name}`);

/** Depth to which packages share folders; `/usr/share/X11/xkb` is the deepest. */
const MAX_DEPTH = 4;

export type Start = { program: string; args: readonly string[]; env: NodeJS.ProcessEnv };

/**
 * Returns how to start a program that finds its parts by absolute paths. If the program is unpacked but not installed,
 * proot maps the unpacked files to the paths that the system lacks, which requires neither root nor a namespace.
 */
export function startInPlace(name: ToolName, args: readonly string[]): Start {
  const tool = requireDebianTool(name);
  if (tool.root === "/") return { program: tool.program, args, env: tool.env };
  const proot = requireDebianTool("proot");
  const missing = LOOKED_INTO.flatMap((folder) => missingFrom(tool, folder));
  const binds = missing.flatMap((path) => ["-b", `${join(tool.root, path)}:${path}`]);
  return { program: proot.program, args: [...binds, tool.program, ...args], env: tool.env };
}

/** Returns the unpacked paths that the system lacks, except libraries, which the environment locates. */
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
