// Reference for the cost of a React page: Express and renderToString of a tree with the elements, attributes and texts
// of the page in the file. No translation, routing, data or headers.
// Arguments: port, file of the page.
import { readFileSync } from "node:fs";
import express from "express";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { createElement, type ReactNode } from "react";
import { renderToString } from "react-dom/server";

const [port = "", file = ""] = process.argv.slice(2);

type Part = { tag: string; attributes: Record<string, unknown>; children: (Part | string)[] };

/** Boolean attributes: React omits them if the value is "". */
const FLAGS = new Set([
  "autofocus",
  "checked",
  "defer",
  "disabled",
  "hidden",
  "novalidate",
  "readonly",
  "required",
  "selected",
]);

function read(node: DefaultTreeAdapterTypes.ChildNode): Part | string {
  if (!("tagName" in node)) return "value" in node ? node.value : "";
  const attributes = Object.fromEntries(
    node.attrs.map(({ name, value }) => [reactName(name), FLAGS.has(name) ? true : value]),
  );
  return { tag: node.tagName, attributes, children: node.childNodes.map(read) };
}

function reactName(name: string): string {
  const names: Record<string, string> = {
    autofocus: "autoFocus",
    class: "className",
    for: "htmlFor",
    novalidate: "noValidate",
    readonly: "readOnly",
    value: "defaultValue",
  };
  return names[name] ?? name;
}

/** Creates the elements for each response, as components do. */
function toElement(part: Part | string): ReactNode {
  if (typeof part === "string") return part;
  return createElement(part.tag, part.attributes, ...part.children.map(toElement));
}

const [html] = parse(readFileSync(file, "utf8"))
  .childNodes.filter((node) => "tagName" in node)
  .map(read);
if (html === undefined) throw new Error("no page in the file");

const app = express();
app.disable("etag");
app.disable("x-powered-by");
app.get("/readyz", (_request, response) => void response.end());
app.get("/login", (_request, response) => {
  response.type("html").send(`<!DOCTYPE html>${renderToString(toElement(html))}`);
});
app.listen(Number(port), "127.0.0.1");
