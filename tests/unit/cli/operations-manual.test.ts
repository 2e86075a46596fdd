import { describe, expect, it } from "vitest";
import { AUDIT_EVENTS } from "#app/domain/audit/events.ts";
import { listFiles, readText } from "#tests/support/source-tree.ts";
import { run } from "./terminal.ts";

const ENGLISH = readText("docs/operations.md");
const GERMAN = readText("docs/operations.de.md");

const manuals = [
  ...listFiles("docs").filter((path) => path.endsWith(".md") && !path.includes("/decisions/")),
  "README.md",
];

/** Matches a gatehouse command up to a comment, pipe or file; not `journalctl -u gatehouse` or `pveum realm add gatehouse`. */
const COMMAND = /(?<=^|`|\s)(?<!-u |realm add )(?:npx )?gatehouse((?: +(?!#)[^\s`|;&<>#)]+)*)/gm;

/** Matches nouns and verbs of commands, which are lower-case; arguments are upper-case, quoted, dotted or paths. */
const WORD = /^[a-z][a-z-]*$/;

type Line = { manual: string; words: string[]; options: string[] };

const lines: Line[] = manuals.flatMap((manual) => {
  const shells = [...readText(manual).matchAll(/```sh\n([\s\S]*?)```|`(gatehouse [^`]+)`/g)];
  return shells.flatMap(([, block, inline]) =>
    [...(block ?? inline ?? "").matchAll(COMMAND)].map(([, text = ""]) => {
      const parts = text.trim().split(/\s+/).filter(Boolean);
      const words = parts.slice(0, 2).filter((part, at) => WORD.test(part) && (at === 0 || WORD.test(parts[0] ?? "")));
      const options = parts.filter((part) => part.startsWith("--")).map((part) => part.split("=", 1)[0] ?? part);
      return { manual, words, options };
    }),
  );
});

/** Help texts by command. */
const helps = new Map<string, string>();

async function helpOf(words: readonly string[]): Promise<string> {
  const name = words.join(" ");
  const known = helps.get(name) ?? (await run([...words, "--help"])).stdout;
  helps.set(name, known);
  return known;
}

/** Returns the noun and verb of a line, without arguments. */
async function commandOf(words: readonly string[]): Promise<string[]> {
  const [noun, verb] = words;
  if (noun === undefined) return [];
  const help = await helpOf([noun]);
  return verb !== undefined && new RegExp(`^  ${verb} `, "m").test(help) ? [noun, verb] : [noun];
}

/** Returns the sections and subsections of a manual, without its introduction. */
const sectionsOf = (text: string) => text.split(/^(?=##+ )/m).slice(1);

/** Returns the parts of a section that do not depend on its language. `code` has no comments, which are translated. */
const shapeOf = (text: string) => ({
  level: /^#+/.exec(text)?.[0],
  rows: text.split("\n").filter((line) => line.startsWith("|")).length,
  steps: [...text.matchAll(/^(\d+)\. /gm)].map(([, number]) => number),
  bullets: text.split("\n").filter((line) => line.startsWith("- ")).length,
  figures: [...new Set(text.match(/gatehouse_\w+/g))].sort(),
  commands: [...new Set(text.match(/`gatehouse [a-z]+ [a-z-]+/g))].sort(),
  code: [...text.matchAll(/```\w*\n([\s\S]*?)```/g)].map(([, block = ""]) => block.replace(/\s+#.*$/gm, "")),
  links: [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link = ""]) => link).sort(),
  keys: [...new Set(text.match(/\b[A-Z]+_[A-Z_]+\b/g))].sort(),
});

describe("the manuals", () => {
  it("name existing commands with existing options", async () => {
    const wrong: string[] = [];
    const top = await helpOf([]);
    for (const { manual, words, options } of lines) {
      const [noun] = words;
      if (noun !== undefined && !new RegExp(`^  ${noun}( |$)`, "m").test(top)) {
        wrong.push(`${manual}: ${words.join(" ")}`);
      }
      const command = await commandOf(words);
      const help = await helpOf(command);
      for (const option of options) {
        if (!new RegExp(`${option}(?![\\w-])`).test(help)) wrong.push(`${manual}: ${command.join(" ")} ${option}`);
      }
      const isNoun = /^Commands:$/m.test(help) && command.length === 1;
      if (isNoun && words.length > 1) wrong.push(`${manual}: ${words.join(" ")} has no such verb`);
    }
    expect(lines.length).toBeGreaterThan(60);
    expect(wrong).toEqual([]);
  });

  it("of operations have the same sections in English and German", () => {
    expect(sectionsOf(GERMAN)).toHaveLength(sectionsOf(ENGLISH).length);
  });

  it.each(sectionsOf(ENGLISH).map((english, index) => ({ section: english.split("\n", 1)[0], english, index })))(
    "of operations have the same content in both languages: $section",
    ({ english, index }) => {
      expect(shapeOf(sectionsOf(GERMAN)[index] ?? "")).toEqual(shapeOf(english));
    },
  );

  it("of operations name events that are recorded", () => {
    const named = [...ENGLISH.matchAll(/`((?:sign-in|provider|factor)\.[a-z-]+)`/g)].map(([, event = ""]) => event);
    expect(named.filter((event) => !Object.hasOwn(AUDIT_EVENTS, event))).toEqual([]);
    expect(named.length).toBeGreaterThan(2);
  });
});
