import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";

const FILE = "docs/security.md";
const START = "<!-- The column of tests is generated from comments in the tests: npm run generate -->\n";
const END = "<!-- End of the requirements -->\n";

const HEAD = "| # | requirement | tests |\n|---|---|---|\n";

/** A row of the table. The last column is generated. */
const ROW = /^\| (\d+) \| (.*?) \| .* \|$/;

/** The comment before a test, before an entry of a table of tests, or before the imports of a file, which is about all its tests. */
const COMMENT = /^\/\/ Proves requirements? (\d+(?:, \d+)*)\.$/;

/** A test that proves a requirement. `title`: null for all tests of the file. */
type Proof = { number: number; file: string; title: string | null };

/** Writes the column of tests of the requirements in docs/security.md, unless `check` is set. Returns the stale paths. */
export async function generateRequirements(root: string, { check }: { check: boolean }): Promise<string[]> {
  const file = join(root, FILE);
  const present = await readFile(file, "utf8");
  const [before = "", rest] = present.split(START);
  const [table = "", after] = rest?.split(END) ?? [];
  if (after === undefined) throw new Error(`${FILE} does not contain ${START}${END}`);
  const written = `${before}${START}${renderTable(table, await readProofs(root))}${END}${after}`;
  if (present === written) return [];
  if (!check) await writeFile(file, written);
  return [FILE];
}

/** Throws if a test names a requirement that the table does not contain. */
function renderTable(table: string, proofs: readonly Proof[]): string {
  const rows = table.split("\n").flatMap((line) => {
    const [, number = "", requirement = ""] = ROW.exec(line) ?? [];
    return number === "" ? [] : [{ number: Number(number), requirement }];
  });
  const unknown = proofs.find((proof) => !rows.some(({ number }) => number === proof.number));
  if (unknown !== undefined) throw new Error(`${unknown.file}: ${FILE} has no requirement ${unknown.number}.`);
  const lines = rows.map(({ number, requirement }) => {
    const cells = proofs.filter((proof) => proof.number === number).map(renderProof);
    return `| ${number} | ${requirement} | ${cells.join("<br>") || "none"} |\n`;
  });
  return `\n${HEAD}${lines.join("")}\n`;
}

function renderProof({ file, title }: Proof): string {
  return title === null ? `\`${file}\`` : `\`${file}\`: ${title.replaceAll("|", "\\|")}`;
}

/** Returns the proofs of all files below tests/, in the order of files and lines. */
async function readProofs(root: string): Promise<Proof[]> {
  const names = await readdir(join(root, "tests"), { recursive: true });
  const files = names
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `tests/${name.replaceAll("\\", "/")}`)
    .sort();
  const found = await Promise.all(files.map(async (file) => proofsIn(file, await readFile(join(root, file), "utf8"))));
  return found.flat();
}

/** Throws if a comment stands before something without a title. */
function proofsIn(file: string, text: string): Proof[] {
  const count = text.split("\n").filter((line) => COMMENT.test(line.trim())).length;
  if (count === 0) return [];
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const proofs: Proof[] = [];
  const read = new Set<number>();

  function visit(node: ts.Node) {
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      const [, numbers] = COMMENT.exec(text.slice(pos, end)) ?? [];
      // The nodes inside of a statement that begin where it begins have the same comments.
      if (numbers === undefined || read.has(pos)) continue;
      read.add(pos);
      const title = titleOf(file, node);
      proofs.push(...numbers.split(", ").map((number) => ({ number: Number(number), file, title })));
    }
    ts.forEachChild(node, visit);
  }

  ts.forEachChild(tree, visit);
  if (read.size < count) throw new Error(`${file}: a comment "Proves requirement …" does not stand before a test.`);
  return proofs;
}

/** Returns the title of a test or of a table's entry, or null before the imports of a file. */
function titleOf(file: string, node: ts.Node): string | null {
  if (ts.isImportDeclaration(node)) return null;
  const isCall = ts.isExpressionStatement(node) && ts.isCallExpression(node.expression);
  const title = isCall ? textOf(node.expression.arguments[0]) : firstText(node);
  if (title !== undefined) return title;
  throw new Error(`${file}: there is no title after "Proves requirement …": ${node.getText().slice(0, 80)}`);
}

function textOf(node: ts.Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  return ts.isTemplateExpression(node) ? node.getText().slice(1, -1) : undefined;
}

function firstText(node: ts.Node): string | undefined {
  return textOf(node) ?? ts.forEachChild(node, firstText);
}
