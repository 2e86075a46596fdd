import { type DebianTool, findDebianTool, type ToolName } from "../../scripts/debian-tools.mjs";

/** A program of Debian that a test runs for real. Throws, with what to do, where setup could not get it. */
export function requireDebianTool(name: ToolName): DebianTool {
  const tool = findDebianTool(name);
  if (tool !== null) return tool;
  throw new Error(
    `${name} is not installed, and could not be unpacked: \`npm test\` tries on Debian, else install it.`,
  );
}
