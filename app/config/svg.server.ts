import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "saxes";

/** Maximum number of `<use>` elements: copies of copies multiply, so that a small file could stop a browser. */
const MAX_COPIES = 20;

const MESSAGE_LENGTH = 120;

const SVG = "http://www.w3.org/2000/svg";
const XHTML = "http://www.w3.org/1999/xhtml";

const NOT_SVG = `is not one <svg xmlns="${SVG}"> element; export it again`;

/** Names of elements, without prefix and in lower case, that a logo may not contain. */
const FOREIGN = /^(?:foreignobject|iframe|embed|object|audio|video|image|feimage|a|animate\w*|set|handler|listener)$/;

/** References that CSS in an attribute or a `<style>` may not contain. */
const OTHER_FILE = /\burl\s*\(\s*(?!["']?#)|@import|image-set\s*\(/i;

/**
 * Returns why an SVG cannot be the logo, as the rest of a sentence with what to do; null if it can. It must be well-formed
 * with namespaces, because browsers draw no other, and contain nothing that could run or load anything. Browsers run no
 * script and load nothing for an image of a page; these rules, and the headers of its response, protect a user who opens
 * the image's URL. They also refuse some harmless files, which an editor's export as "plain" SVG turns into accepted ones.
 */
export function problemOfSvg(content: Buffer): string | null {
  const text = decode(content);
  if (text === null) return "is not in UTF-8; save it in UTF-8";
  // The parser would decode them. The predefined entities only are allowed.
  if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(text)) {
    return "contains a character or entity reference; write the character itself";
  }
  return firstProblem(text);
}

function decode(content: Buffer): string | null {
  try {
    // Removes a byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return null;
  }
}

/** Parses the text and returns its first problem, in document order. */
function firstProblem(text: string): string | null {
  let problem: string | null = null;
  let copies = 0;
  const report = (found: string | null) => {
    problem ??= found;
  };
  // The text of each open element: comments in a `<style>` do not end its text.
  const texts: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", ({ message }) => report(notWellFormed(message)));
  parser.on("xmldecl", ({ version, encoding }) => report(problemOfDeclaration(version, encoding)));
  parser.on("doctype", () => report("contains a DOCTYPE; export it as plain SVG"));
  parser.on("cdata", () => report("contains CDATA; export it as plain SVG"));
  parser.on("processinginstruction", () => report("contains a processing instruction; export it as plain SVG"));
  parser.on("opentag", (tag) => {
    if (texts.length === 0 && (tag.name !== "svg" || tag.uri !== SVG)) report(NOT_SVG);
    texts.push("");
    if (tag.local.toLowerCase() === "use") copies += 1;
    if (copies > MAX_COPIES) report(`contains more than ${MAX_COPIES} copies (<use>); export it with paths only`);
    report(problemOfElement(tag));
  });
  parser.on("text", (part) => {
    if (texts.length > 0) texts.push(`${texts.pop()}${part}`);
  });
  parser.on("closetag", () => report(problemOfText(texts.pop() ?? "")));
  parser.write(text).close();
  return problem;
}

/** `message`: line, column and error of the parser, perhaps with a name from the file. */
function notWellFormed(message: string): string {
  return `is not well-formed (${message.replace(/\.$/, "").slice(0, MESSAGE_LENGTH)}); export it again`;
}

/** The text is checked as UTF-8: in another encoding, it could be read as something else. */
function problemOfDeclaration(version: string | undefined, encoding: string | undefined): string | null {
  if (encoding !== undefined && encoding.toLowerCase() !== "utf-8") {
    return "declares another encoding than UTF-8; save it in UTF-8";
  }
  return version === "1.0" ? null : "declares another version of XML than 1.0; export it again";
}

function problemOfElement({ local, uri, attributes }: SaxesTagNS): string | null {
  const name = local.toLowerCase();
  if (uri === XHTML) return "contains HTML; export it with paths only";
  if (name === "script") return "contains a script; remove it";
  if (FOREIGN.test(name)) {
    return "contains an embedded image, a link, an animation or foreign content; export it with paths only";
  }
  return (
    Object.values(attributes)
      .map(problemOfAttribute)
      .find((problem) => problem !== null) ?? null
  );
}

function problemOfAttribute({ prefix, local, value }: SaxesAttributeNS): string | null {
  if (prefix === "xmlns") return null;
  const name = local.toLowerCase();
  if (name.startsWith("on")) return "contains an event attribute (on…); remove it";
  if ((name === "href" || name === "src") && !value.startsWith("#")) {
    return "contains a reference to another file; export it with paths only";
  }
  return problemOfText(value);
}

function problemOfText(text: string): string | null {
  // An escape could hide the words below in CSS.
  if (text.includes("\\")) return "contains a backslash; remove it";
  return OTHER_FILE.test(text) ? "contains a style that refers to another file; remove it" : null;
}
