import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = "docs/decisions";
const FILE = `${FOLDER}/README.md`;

const HEAD = `# Decision records

Each record describes one design decision: its context, the decision and its consequences. Numbers without a
record are not used. Generated from the titles and the status of the files: npm run generate

| decision | status |
|---|---|
`;

/** Writes the index of the decision records, unless `check` is set. Returns the stale paths. */
export async function generateDecisionIndex(root: string, { check }: { check: boolean }): Promise<string[]> {
  const names = (await readdir(join(root, FOLDER))).filter((name) => name !== "README.md").sort();
  const rows = await Promise.all(
    names.map(async (name) => renderRow(name, await readFile(join(root, FOLDER, name), "utf8"))),
  );
  const text = HEAD + rows.join("");
  // A missing file is stale.
  if ((await readFile(join(root, FILE), "utf8").catch(() => null)) === text) return [];
  if (!check) await writeFile(join(root, FILE), text);
  return [FILE];
}

/** Throws if a record has another number than its file, or no status above its first section. */
function renderRow(name: string, text: string): string {
  const [, number, title] = /^# (\d{3}):? (.+)\n/.exec(text) ?? [];
  const [head = ""] = text.split("\n## ", 1);
  const [, status] = /\bStatus: (.+?)\.?\s*$/s.exec(head) ?? [];
  if (title === undefined || status === undefined || number !== name.slice(0, 3)) {
    throw new Error(`${FOLDER}/${name} does not begin with "# ${name.slice(0, 3)}: title", "Date:" and "Status:".`);
  }
  return `| [${number}](${name}) ${title} | ${status.replace(/\s+/g, " ")} |\n`;
}
