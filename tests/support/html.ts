import { type DefaultTreeAdapterTypes, parse } from "parse5";

type Node = DefaultTreeAdapterTypes.Node;

/** An element with its attributes. */
export type Part = {
  tag: string;
  attributes: Readonly<Record<string, string>>;
  /** Visible text with collapsed whitespace and breaking hyphens, without scripts and styles. */
  text: string;
  parts: readonly Part[];
};

type FormButton = { name: string | null; value: string; label: string; disabled: boolean };

export type PageForm = {
  action: string;
  method: string;
  /** Fields that an unchanged form submits, without buttons. */
  fields: readonly (readonly [name: string, value: string])[];
  buttons: readonly FormButton[];
};

/** An HTML page, parsed by the algorithm of browsers. */
export type Page = {
  title: string;
  lang: string;
  text: string;
  /** State of the page: `data-state` of #root. */
  state(): Record<string, unknown>;
  all(tag: string, attributes?: Readonly<Record<string, string>>): Part[];
  /** Returns the only such element. Throws if there is none or more than one. */
  one(tag: string, attributes?: Readonly<Record<string, string>>): Part;
  forms(): PageForm[];
  /**
   * Returns the only form with this action. Throws if there is none or more than one. A form without a button of its own
   * inside is left out.
   */
  form(path: string): PageForm;
};

export function readPage(html: string): Page {
  const root = toPart(parse(html));
  const elements = flatten(root);
  const all: Page["all"] = (tag, attributes = {}) => elements.filter((part) => matches(part, tag, attributes));
  const forms = () => all("form").map((form) => readForm(form, elements));
  const one: Page["one"] = (tag, attributes = {}) =>
    only(all(tag, attributes), `<${tag}> with ${JSON.stringify(attributes)}`);
  return {
    title: all("title")[0]?.text ?? "",
    lang: all("html")[0]?.attributes.lang ?? "",
    text: all("body")[0]?.text ?? "",
    state: () => readState(one("div", { id: "root" })),
    all,
    one,
    forms,
    form: (path) =>
      only(
        all("form")
          .filter((form) => flatten(form).some((part) => isSubmit(part) && part.attributes.form === undefined))
          .map((form) => readForm(form, elements))
          .filter(({ action }) => new URL(action, "http://localhost").pathname === path),
        `form with the action ${path}`,
      ),
  };
}

/** Replaces the characters at which a line must not break by those at which it may: a test names the words. */
export function withBreaks(text: string): string {
  return text.replaceAll("\u2011", "-").replaceAll("\u00a0", " ");
}

/** Elements without visible text. */
const UNREAD_TAGS = ["script", "style", "template", "noscript"];

function toPart(node: Node): Part {
  const children = "childNodes" in node ? node.childNodes : [];
  const tag = "tagName" in node ? node.tagName : "";
  let text: string | null = null;
  return {
    tag,
    attributes: "attrs" in node ? Object.fromEntries(node.attrs.map(({ name, value }) => [name, value])) : {},
    // On demand, because a page has hundreds of elements, each with the text of all elements in it.
    get text() {
      text ??= withBreaks(children.map(readText).join("")).replace(/\s+/g, " ").trim();
      return text;
    },
    parts: children.filter((child) => "tagName" in child).map(toPart),
  };
}

/** Inline elements; the text of all other elements is separated by spaces. */
const INLINE_TAGS = ["a", "abbr", "b", "bdi", "code", "em", "i", "kbd", "mark", "q", "small", "span", "strong", "wbr"];

function readText(node: Node): string {
  if ("value" in node && node.nodeName === "#text") return node.value;
  if (!("tagName" in node) || UNREAD_TAGS.includes(node.tagName)) return "";
  const text = node.childNodes.map(readText).join("");
  return INLINE_TAGS.includes(node.tagName) ? text : ` ${text} `;
}

function flatten(part: Part): Part[] {
  return part.parts.flatMap((child) => [child, ...flatten(child)]);
}

function matches(part: Part, tag: string, attributes: Readonly<Record<string, string>>) {
  if (part.tag !== tag) return false;
  return Object.entries(attributes).every(([name, value]) => part.attributes[name] === value);
}

function only<T>(found: readonly T[], what: string): T {
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`Expected one ${what}, found ${found.length}.`);
  return first;
}

function readState(root: Part): Record<string, unknown> {
  const state: unknown = JSON.parse(root.attributes["data-state"] ?? "null");
  if (typeof state !== "object" || state === null) {
    throw new Error("The page has no state: data-state is not an object.");
  }
  return { ...state };
}

function readForm(form: Part, elements: readonly Part[]): PageForm {
  const { id } = form.attributes;
  const inside = flatten(form).filter((part) => part.attributes.form === undefined);
  const outside = id === undefined ? [] : elements.filter((part) => part.attributes.form === id);
  const controls = [...inside, ...outside];
  const enabled = controls.filter((part) => part.attributes.disabled === undefined);
  return {
    action: form.attributes.action ?? "",
    method: (form.attributes.method ?? "get").toLowerCase(),
    fields: enabled.flatMap(readField),
    buttons: controls.filter(isSubmit).map((button) => ({
      name: button.attributes.name ?? null,
      value: button.attributes.value ?? "",
      label: button.text || (button.attributes.value ?? ""),
      disabled: button.attributes.disabled !== undefined,
    })),
  };
}

function isSubmit({ tag, attributes }: Part) {
  if (tag === "button") return (attributes.type ?? "submit") === "submit";
  return tag === "input" && (attributes.type === "submit" || attributes.type === "image");
}

function readField(part: Part): (readonly [string, string])[] {
  const { name } = part.attributes;
  if (name === undefined) return [];
  if (part.tag === "textarea") return [[name, part.text]];
  if (part.tag === "select") return readSelect(name, part);
  if (part.tag !== "input" || isSubmit(part)) return [];
  const { type = "text", value } = part.attributes;
  if (type === "checkbox" || type === "radio") {
    return part.attributes.checked === undefined ? [] : [[name, value ?? "on"]];
  }
  return type === "button" || type === "reset" ? [] : [[name, value ?? ""]];
}

function readSelect(name: string, select: Part): (readonly [string, string])[] {
  const options = flatten(select).filter(({ tag }) => tag === "option");
  const chosen = options.filter(({ attributes }) => attributes.selected !== undefined);
  const sent = chosen.length > 0 ? chosen : options.slice(0, 1);
  return sent.map((option) => [name, option.attributes.value ?? option.text]);
}
