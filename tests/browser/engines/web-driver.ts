import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/**
 * The commands of W3C WebDriver (https://www.w3.org/TR/webdriver2/) that the tests use. WebKitGTK's driver accepts them
 * over HTTP, Firefox over Marionette. No available package supports both.
 */
export type Command =
  | "navigate"
  | "address"
  | "find"
  | "click"
  | "clear"
  | "type"
  | "text"
  | "property"
  | "attribute"
  | "run"
  | "screenshot";

/** Sends a command with its parameters, for an element if given, and returns its result. */
export type Send = (command: Command, parameters: Parameters, element?: string) => Promise<unknown>;

export type Parameters = Readonly<Record<string, unknown>>;

/** Time limit for an element to appear. */
const STEP_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/** The standard's key of element references. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

const reference = z.object({ [ELEMENT]: z.string() });

/** A page element, located anew at each use because the page may have changed. */
export type Part = {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  text(): Promise<string>;
  value(): Promise<string>;
  attribute(name: string): Promise<string | null>;
  /** Waits until the element exists. */
  waitFor(): Promise<void>;
};

/** A browser, independent of its driver. */
export type Browser = {
  goto(address: string): Promise<void>;
  address(): Promise<string>;
  /** Finds a field by its label text. */
  field(label: string): Part;
  button(text: string): Part;
  link(text: string): Part;
  heading(text: string): Part;
  part(selector: string): Part;
  /** Evaluates an expression in the page; requires JavaScript. */
  evaluate(expression: string): Promise<unknown>;
  screenshot(): Promise<Buffer>;
};

export function createBrowser(send: Send): Browser {
  const byText = (tag: string, text: string) => part(send, "xpath", `//${tag}[normalize-space()=${quote(text)}]`);
  return {
    async goto(address) {
      await send("navigate", { url: address });
    },
    address: async () => z.string().parse(await send("address", {})),
    field: (label) => part(send, "xpath", `//input[@id=//label[normalize-space()=${quote(label)}]/@for]`),
    button: (text) => byText("button", text),
    link: (text) => byText("a", text),
    heading: (text) => byText("h1", text),
    part: (selector) => part(send, "css selector", selector),
    evaluate: (expression) => send("run", { script: `return (${expression});`, args: [] }),
    screenshot: async () => Buffer.from(z.string().parse(await send("screenshot", {})), "base64"),
  };
}

function part(send: Send, using: "xpath" | "css selector", value: string): Part {
  const find = () => found(send, { using, value });
  const use = async (command: Command, parameters: Parameters = {}) => send(command, parameters, await find());
  return {
    async click() {
      const id = await find();
      // WebKit does not scroll to an element that is visible only at its edge.
      const args = [{ [ELEMENT]: id }];
      await send("run", { script: 'arguments[0].scrollIntoView({ block: "center" })', args });
      await send("click", {}, id);
    },
    async fill(text) {
      await use("clear");
      await use("type", { text });
    },
    text: async () => z.string().parse(await use("text")),
    value: async () => z.string().parse(await use("property", { name: "value" })),
    attribute: async (name) =>
      z
        .string()
        .nullable()
        .parse(await use("attribute", { name })),
    async waitFor() {
      await find();
    },
  };
}

/** Polls, because the drivers' own waiting ends at a navigation. */
async function found(send: Send, what: { using: string; value: string }): Promise<string> {
  const deadline = performance.now() + STEP_TIMEOUT_MS;
  for (;;) {
    try {
      return reference.parse(await send("find", what))[ELEMENT];
    } catch (error) {
      if (performance.now() > deadline) throw new Error(`There is no ${what.value}`, { cause: error });
    }
    await sleep(POLL_MS);
  }
}

/** Quotes a string for XPath, which has no escape for quotation marks. */
function quote(text: string): string {
  if (!text.includes('"')) return `"${text}"`;
  if (!text.includes("'")) return `'${text}'`;
  throw new Error(`no text of a page can be found by both kinds of quotation marks: ${text}`);
}
