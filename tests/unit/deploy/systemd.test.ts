import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { requireDebianTool } from "#tests/support/debian-tool.ts";
import { readText } from "#tests/support/source-tree.ts";

/** Runs systemd-analyze on the unit, with Node in place of a program that is not installed here. */
function analyze(...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "gatehouse.service");
  writeFileSync(file, readText("deploy/gatehouse.service").replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`));
  const { program, env } = requireDebianTool("systemd-analyze");
  const { status, stdout, stderr } = spawnSync(program, [...args, file], {
    env: { ...env, SYSTEMD_PAGER: "", NO_COLOR: "1", LC_ALL: "C" },
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, output: `${stdout}${stderr}` };
}

describe("the unit for systemd", () => {
  it("is understood by systemd completely", () => {
    expect(analyze("verify")).toEqual({ status: 0, output: "" });
  });

  it("has the sandbox that the manual describes", () => {
    const { status, output } = analyze("security", "--offline=yes", "--no-pager", "--threshold=15");
    const [, exposure] = /exposure level for gatehouse\.service: ([\d.]+)/.exec(output) ?? [];
    expect([status, Number(exposure) <= 1.5]).toEqual([0, true]);
    for (const manual of ["docs/operations.md", "docs/operations.de.md"]) {
      expect(readText(manual)).toContain(`**${exposure}**`);
    }
  });
});
