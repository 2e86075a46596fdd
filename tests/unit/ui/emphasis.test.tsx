import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Emphasis } from "#app/ui/emphasis.tsx";

test.each([
  ["Taken to desk.example.", "desk.example", "Taken to <b>desk.example</b>."],
  ["Signed in as Anna", "", "Signed in as Anna"],
  ["Signed in as Anna", "Bert", "Signed in as Anna"],
  ["as <i>", "<i>", "as <b>&lt;i&gt;</b>"],
])("in %j, %j is set off", (text, part, html) => {
  expect(renderToStaticMarkup(<Emphasis text={text} part={part} />)).toBe(html);
});
