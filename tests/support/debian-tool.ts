import { type DebianTool, findDebianTool, type ToolName } from "../../scripts/debian-tools.mjs";

/** Returns a Debian program. Throws with instructions if setup could not unpack it. */
export function requireDebianTool(name: ToolName): DebianTool {
  const tool = findDebianTool(name);
  if (tool !== null) return tool;
  throw new Error(
    `${name} is not installed, and could not be unpacked: \`npm run test:long\` tries on Debian, else install it.`,
  );
}
