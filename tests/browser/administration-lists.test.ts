import { expect, test } from "vitest";
import { openVisit, pageSetupOfFile } from "./support/page-setup.ts";
import { administrationStates } from "./support/states-administration.ts";

const setup = await pageSetupOfFile();

test("the links to the pages of a list are in one line", async () => {
  const visit = await openVisit(setup, { language: "de" });
  const state = administrationStates.find(({ name }) => name === "administration, people on many pages");
  await state?.reach(visit);
  const links = visit.anna.page
    .getByRole("navigation", { name: visit.anna.t("adminPages.name") })
    .getByRole("listitem");
  const boxes = await Promise.all((await links.all()).map((link) => link.boundingBox()));
  expect(await links.allTextContents()).toEqual(["", "Seite 1", "Seite 2", "Seite 3", "…", "Seite 6", ""]);
  expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
  await visit.anna.close();
});
