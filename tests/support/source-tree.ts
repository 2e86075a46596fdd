import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The folder of package.json. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** An import or re-export. */
export type Import = {
  specifier: string;
  /** True if it is erased at run time. */
  typeOnly: boolean;
  /** True for `import(…)`, which is evaluated on demand. */
  dynamic: boolean;
  /** Imported file, relative to the repository; null for a package. */
  target: string | null;
  line: number;
};

export type SourceFile = {
  /** Relative to the repository, with `/`. */
  path: string;
  text: string;
  lines: number;
  tree: ts.SourceFile;
  imports: readonly Import[];
};

type NamedFunction = { name: string; line: number; lines: number };

/** Folders with third-party or generated files. */
const FOREIGN_FOLDERS = ["node_modules", "build", "data", ".git", ".cache", ".look"];

/** Returns all files below a path of the repository, sorted, without ignored folders. */
export function listFiles(path = ""): string[] {
  const absolute = join(ROOT, path);
  if (!existsSync(absolute)) return [];
  if (!statSync(absolute).isDirectory()) return [path];
  return readdirSync(absolute)
    .filter((name) => !FOREIGN_FOLDERS.includes(name))
    .sort()
    .flatMap((name) => listFiles(posix.join(path, name)));
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Parses the TypeScript files below some paths of the repository. */
export function readSources(...paths: readonly string[]): SourceFile[] {
  return paths
    .flatMap(listFiles)
    .filter((path) => /\.tsx?$/.test(path))
    .map(readSource);
}

/** Visits every node of a file, parents first. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void) {
  visit(node);
  node.forEachChild((child) => walk(child, visit));
}

/** Returns the line number of a node, starting at 1. */
export function lineOf(file: SourceFile, node: ts.Node): number {
  return file.tree.getLineAndCharacterOfPosition(node.getStart(file.tree)).line + 1;
}

/** Returns the functions of a file with name and length. */
export function listFunctions(file: SourceFile): NamedFunction[] {
  const found: NamedFunction[] = [];
  walk(file.tree, (node) => {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) return;
    const first = lineOf(file, node);
    const last = file.tree.getLineAndCharacterOfPosition(node.end).line + 1;
    found.push({ name: functionName(node), line: first, lines: last - first + 1 });
  });
  return found;
}

function readSource(path: string): SourceFile {
  const text = readText(path);
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  return { path, text, lines: text.trimEnd().split("\n").length, tree, imports: listImports(path, tree) };
}

function listImports(path: string, tree: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined, kind: { typeOnly: boolean; dynamic: boolean }) => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    found.push({ specifier: specifier.text, ...kind, target: resolveTarget(path, specifier.text), line });
  };
  walk(tree, (node) => {
    if (ts.isImportDeclaration(node)) {
      // `import { type A }` is not type-only: the module is still loaded (verbatimModuleSyntax).
      add(node, node.moduleSpecifier, { typeOnly: node.importClause?.isTypeOnly ?? false, dynamic: false });
    } else if (ts.isExportDeclaration(node)) {
      add(node, node.moduleSpecifier, { typeOnly: node.isTypeOnly, dynamic: false });
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], { typeOnly: false, dynamic: true });
    }
  });
  return found;
}

/** Resolves a specifier to a file of the repository, by package.json's `imports` or relative to the importer. */
function resolveTarget(from: string, specifier: string): string | null {
  // Removes Vite's suffixes (`?url`).
  const plain = specifier.replace(/\?.*$/, "");
  if (plain.startsWith("#")) {
    const [alias, ...rest] = plain.slice(1).split("/");
    return [alias, ...rest].join("/");
  }
  if (!plain.startsWith(".")) return null;
  return relative(ROOT, join(ROOT, dirname(from), plain)).replaceAll("\\", "/");
}

function functionName(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText();
  if (ts.isCallExpression(parent)) return `callback of ${parent.expression.getText()}`;
  return "anonymous function";
}
