import ts from "typescript";
import { describe, expect, it } from "vitest";
import { lineOf, readSources, type SourceFile, walk } from "#tests/support/source-tree.ts";

/** Without type declarations of other packages (`.d.ts`). */
const product = readSources("main.ts", "app", "demo").filter(({ path }) => !path.endsWith(".d.ts"));
const tests = readSources("tests");

/** Folders whose exports must have a docstring. */
const DOCUMENTED = /^app\/(domain|oidc|db)\//;

/** Files from which a framework requires a default export. */
const DEFAULT_EXPORTS = /^app\/(routes\/|routes\.ts$|root\.tsx$|entry\.(client|server)\.tsx$)/;

/** Calls that the domain must not make, because clock and randomness are injected. */
const TIME_AND_CHANCE = [
  /\bnew Date\(\s*\)/,
  /\bDate\.now\(/,
  /\bperformance\.now\(/,
  /\bMath\.random\(/,
  /\brandom(Bytes|UUID|Int|FillSync)\(/,
  /\bgetRandomValues\(/,
];

/** Returns every matching node, formatted for a failure message. */
function find(files: readonly SourceFile[], isWrong: (node: ts.Node, file: SourceFile) => boolean) {
  const found: string[] = [];
  for (const file of files) {
    walk(file.tree, (node) => {
      if (isWrong(node, file)) found.push(`${file.path}:${lineOf(file, node)} ${firstLine(node.getText(file.tree))}`);
    });
  }
  return found;
}

describe("the language", () => {
  it("uses no any", () => {
    expect(find([...product, ...tests], (node) => node.kind === ts.SyntaxKind.AnyKeyword)).toEqual([]);
  });

  it("has no cast without a comment", () => {
    expect(find(product, (node, file) => isCast(node) && !hasCommentNearby(node, file))).toEqual([]);
  });

  it("writes a short if in one line without braces, and a longer one with braces", () => {
    expect(find([...product, ...tests], isInconsistentIf)).toEqual([]);
  });

  it("disables no check without a reason", () => {
    const silenced = product.flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => {
        if (/@ts-(ignore|nocheck)/.test(line)) return [`${path}:${index + 1} ${line.trim()}`];
        return /(@ts-expect-error|biome-ignore [\w/]+):?\s*$/.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [];
      }),
    );
    expect(silenced).toEqual([]);
  });

  it("replaces or reads members by name only in the patches of oidc-provider", () => {
    const others = product.filter(({ path }) => path.startsWith("app/") && !path.startsWith("app/oidc/patches/"));
    expect(find(others, isReflection)).toEqual([]);
  });

  it("exports by name, except where Remix requires a default", () => {
    const others = product.filter(({ path }) => !DEFAULT_EXPORTS.test(path));
    expect(find(others, isDefaultExport)).toEqual([]);
  });

  it("has classes for errors, for custom elements, and where a package wants one extended", () => {
    expect(find(product, (node, file) => ts.isClassLike(node) && !isNeeded(node, file))).toEqual([]);
  });
});

describe("the rules", () => {
  it("inject time and randomness", () => {
    const domain = product.filter(({ path }) => path.startsWith("app/domain/"));
    const isOwnSource = (node: ts.Node) => ts.isCallExpression(node) || ts.isNewExpression(node);
    expect(
      find(domain, (node) => isOwnSource(node) && TIME_AND_CHANCE.some((source) => startsWith(node, source))),
    ).toEqual([]);
  });

  it("explain every exported value of domain, oidc and db", () => {
    const rooms = product.filter(({ path }) => DOCUMENTED.test(path));
    const isValue = (node: ts.Node) => isExported(node) && !ts.isTypeAliasDeclaration(node);
    expect(find(rooms, (node, file) => isValue(node) && !hasDocstring(node, file))).toEqual([]);
  });
});

/** Returns whether a node uses `Reflect` or a prototype. */
function isReflection(node: ts.Node) {
  if (!ts.isPropertyAccessExpression(node) && !ts.isBindingElement(node)) return false;
  return node.name.getText() === "prototype" || node.getText().startsWith("Reflect.");
}

function isCast(node: ts.Node) {
  if (ts.isTypeAssertionExpression(node) || ts.isNonNullExpression(node)) return true;
  return ts.isAsExpression(node) && !ts.isConstTypeReference(node.type);
}

/** Returns whether the cast has a comment on its line or on one of the two lines above. */
function hasCommentNearby(node: ts.Node, file: SourceFile) {
  const line = lineOf(file, node);
  const nearby = file.text.split("\n").slice(Math.max(0, line - 3), line);
  return nearby.some((text) => /\/\/|\*\/|^\s*\*/.test(text));
}

function isDefaultExport(node: ts.Node) {
  if (ts.isExportAssignment(node)) return true;
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
  );
}

function isNeeded(node: ts.ClassLikeDeclaration, { tree }: SourceFile) {
  const parents = (node.heritageClauses ?? []).flatMap(({ types }) =>
    types.map(({ expression }) => expression.getText(tree)),
  );
  return parents.some((parent) => /(Error|Element)$/.test(parent) || comesFromPackage(parent, tree));
}

function comesFromPackage(name: string, tree: ts.SourceFile) {
  return tree.statements.some(
    (statement) =>
      ts.isImportDeclaration(statement) &&
      ts.isStringLiteral(statement.moduleSpecifier) &&
      !/^[.#]/.test(statement.moduleSpecifier.text) &&
      RegExp(`\\b${name}\\b`).test(statement.importClause?.getText(tree) ?? ""),
  );
}

/** Returns whether the pattern matches the call itself, not a nested expression. */
function startsWith(node: ts.Node, pattern: RegExp) {
  return node.getText().search(pattern) === 0;
}

function isExported(node: ts.Node) {
  if (!ts.canHaveModifiers(node) || !ts.isSourceFile(node.parent)) return false;
  return (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function hasDocstring(node: ts.Node, file: SourceFile) {
  const comments = ts.getLeadingCommentRanges(file.text, node.getFullStart()) ?? [];
  return comments.some(({ pos }) => file.text.startsWith("/**", pos));
}

function firstLine(text: string) {
  return (text.split("\n")[0] ?? "").slice(0, 100);
}

/** Longest line of the formatter. */
const LINE_WIDTH = 120;

/** Returns true for an `if` of several lines without braces, and for one with braces that would fit in one line. */
function isInconsistentIf(node: ts.Node, file: SourceFile): boolean {
  if (!ts.isIfStatement(node) || node.elseStatement !== undefined || isElseIf(node)) return false;
  const { thenStatement } = node;
  const text = node.getText(file.tree);
  if (!ts.isBlock(thenStatement)) return text.includes("\n");
  const [only, ...others] = thenStatement.statements;
  if (only === undefined || others.length > 0 || !isSimple(only)) return false;
  const condition = text.slice(0, thenStatement.getStart(file.tree) - node.getStart(file.tree));
  const inside = thenStatement.getText(file.tree).slice(1, -1).trim();
  const { character: indent } = file.tree.getLineAndCharacterOfPosition(node.getStart(file.tree));
  const isOneLine = inside === only.getText(file.tree) && !`${condition}${inside}`.includes("\n");
  return isOneLine && indent + condition.length + inside.length <= LINE_WIDTH;
}

function isElseIf(node: ts.IfStatement): boolean {
  return ts.isIfStatement(node.parent) && node.parent.elseStatement === node;
}

function isSimple(statement: ts.Statement): boolean {
  return [ts.isReturnStatement, ts.isThrowStatement, ts.isExpressionStatement, ts.isContinueStatement].some((is) =>
    is(statement),
  );
}
