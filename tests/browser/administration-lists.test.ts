import { expect, test } from "vitest";
import { addUser } from "#app/domain/user/add.server.ts";
import { openAdministration } from "./support/administration.ts";
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

test("names of 64 letters without a space do not make a page wider than the window", async () => {
  const visit = await openVisit(setup, { language: "de" });
  const { anna, user } = visit;
  const { context, groups, url } = setup.installation.server;
  const group = await groups.create({ name: "W".repeat(64) });
  const { id } = await addUser(context, {
    username: `${"w".repeat(40)}.${user.username}`,
    displayName: "M".repeat(64),
    email: `${"m".repeat(60)}@office.example`,
    groupName: group.name,
  });
  await openAdministration(visit, "/manage/admin/people");
  const csv = [
    "username;display_name;email;groups",
    `new.${user.username};${"N".repeat(64)};n@n.example;${group.name}`,
  ];
  await anna.page.goto(`${url}/manage/admin/people/import`);
  await anna.page
    .locator("input[type=file]")
    .setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from(csv.join("\n")) });
  await anna.page.getByRole("button", { name: anna.t("adminImport.check") }).click();
  await anna.page.getByRole("heading", { level: 1, name: anna.t("adminImport.checkTitle") }).waitFor();
  const paths = [
    new URL(anna.page.url()).pathname,
    ...["/people", "/people/invite", "/groups", "/activity"].map((path) => `/manage/admin${path}`),
    ...["", "/edit", "/remove"].map((path) => `/manage/admin/groups/${group.id}${path}`),
    ...["", "/edit", "/groups", "/office", "/role", "/remove"].map((path) => `/manage/admin/people/${id}${path}`),
  ];
  for (const path of paths) {
    await anna.page.goto(url + path);
    for (const width of [1280, 640, 360]) {
      await anna.page.setViewportSize({ width, height: 740 });
      const scrollWidth = await anna.page.evaluate(() => document.documentElement.scrollWidth);
      expect.soft(scrollWidth, `${path} at ${width} px`).toBe(width);
    }
  }
  await anna.close();
});
