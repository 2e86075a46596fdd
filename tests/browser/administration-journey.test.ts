import type { Locator } from "playwright";
import { afterAll, expect, test } from "vitest";
import { grantRole } from "#app/domain/role/grant.server.ts";
import { type BrowserUser, installationOfFile } from "#tests/browser/support/installation.ts";
import { giveTotp } from "#tests/support/factors.ts";
import { TEST_PASSWORD, type TestUser } from "#tests/support/server.ts";
import { seesHeading } from "./support/pages.ts";
import { seedSession } from "./support/session.ts";

/** A narrow window without JavaScript, in German. */
const NARROW = { language: "de", javaScript: false, viewport: { width: 360, height: 740 } } as const;

/** Most stops on the way to an element: a page of the administration has fewer. */
const MAX_STOPS = 80;

const installation = await installationOfFile();
const { server } = installation;
const { context } = server;
const opened: BrowserUser[] = [];
afterAll(() => Promise.all(opened.map((user) => user.close())));

async function open(): Promise<BrowserUser> {
  const user = await installation.open(NARROW);
  opened.push(user);
  return user;
}

/** A user who has nothing but a keyboard. `actions`: links and buttons that were pressed, and fields that were filled. */
function byKeyboard({ page }: BrowserUser) {
  let actions = 0;

  async function reach(target: Locator): Promise<void> {
    await target.waitFor();
    for (let stops = 0; stops < MAX_STOPS; stops += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`the Tab key does not reach ${target}`);
  }

  return {
    count: () => actions,
    async press(role: "link" | "button", name: string): Promise<void> {
      await reach(page.getByRole(role, { name, exact: true }).first());
      actions += 1;
      await page.keyboard.press("Enter");
    },
    async pressLink(target: Locator): Promise<void> {
      await reach(target);
      actions += 1;
      await page.keyboard.press("Enter");
    },
    async fill(selector: string, text: string): Promise<void> {
      await reach(page.locator(selector));
      actions += 1;
      await page.keyboard.type(text);
    },
    async choose(selector: string, option: string): Promise<void> {
      const list = page.locator(selector);
      await reach(list);
      actions += 1;
      const options = await list.locator("option").allTextContents();
      for (let step = options.length; step > 0; step -= 1) await page.keyboard.press("ArrowUp");
      for (let step = options.indexOf(option); step > 0; step -= 1) await page.keyboard.press("ArrowDown");
    },
    async tick(selector: string): Promise<void> {
      await reach(page.locator(selector));
      actions += 1;
      await page.keyboard.press("Space");
    },
  };
}

async function openAdministration(): Promise<BrowserUser> {
  const helga = await server.users.create({ displayName: "Helga Brandt" });
  await context.store.tx((store) => grantRole({ ...context, store }, helga, { role: "administrator", office: null }));
  await giveTotp(server, helga);
  const user = await open();
  await seedSession(installation, user, helga, { hasTwoFactors: true });
  await user.page.goto(`${server.url}/manage/open?to=/manage/admin/people`);
  return user;
}

/** Returns the link in the newest mail to an address. */
async function mailedLink(address: string): Promise<string> {
  const mails = await server.mails();
  const mail = mails.findLast(({ to }) => to === address);
  const [link = ""] = /https?:\/\/\S+token=\S+/.exec(mail?.text ?? "") ?? [];
  return link;
}

test("joiner, mover and leaver: by keyboard alone, without JavaScript, in German, at 360 px", async () => {
  const kiel = await server.groups.create({ name: "Büro Kiel" });
  const koeln = await server.groups.create({ name: "Büro Köln" });
  // An office is the home group of a user.
  await server.users.create({ groupName: kiel.name });
  await server.users.create({ groupName: koeln.name });
  const helga = await openAdministration();
  const { page, t } = helga;
  const keys = byKeyboard(helga);

  // Anna joins: invited by name, address and office.
  await seesHeading(helga, t("adminPeople.title"));
  await keys.press("link", t("adminInvite.title"));
  await seesHeading(helga, t("adminInvite.title"));
  await keys.fill("#given_name", "Anna");
  await keys.fill("#family_name", "Ahlers");
  await keys.fill("#email", "anna.ahlers@office.example");
  await keys.choose("#office", "Büro Kiel");
  await keys.press("button", t("adminInvite.submit"));
  await page.locator("[data-code=invited]").waitFor();
  const joined = keys.count();

  // Anna chooses a password.
  const anna = await open();
  const annaKeys = byKeyboard(anna);
  await anna.page.goto(await mailedLink("anna.ahlers@office.example"));
  await annaKeys.fill("input[name=password]", TEST_PASSWORD);
  await annaKeys.fill("input[name=password_repeat]", TEST_PASSWORD);
  await anna.page.keyboard.press("Enter");
  await anna.page.waitForURL(/reset-status\?status=success/);
  const stored = await context.store.q.select().from(context.store.t.users);
  const row = stored.find(({ email }) => email === "anna.ahlers@office.example");
  const user: TestUser = {
    id: row?.id ?? "",
    username: row?.username ?? "",
    password: TEST_PASSWORD,
    displayName: "Anna Ahlers",
  };
  expect(user.username).toBe("anna.ahlers");
  await giveTotp(server, user);

  // She loses her phone: Helga reads six words aloud.
  await page.goto(`${server.url}/manage/admin/people`);
  await keys.pressLink(page.getByRole("link", { name: "Ahlers, Anna" }));
  await seesHeading(helga, "Anna Ahlers");
  await keys.press("link", t("adminPerson.newDevice"));
  await seesHeading(helga, t("adminHelp.newDevice.heading"));
  await keys.tick("[name=proved]");
  await keys.press("button", t("adminHelp.submit"));
  await seesHeading(helga, t("adminHelp.given.heading"));
  const words = (await page.locator("ol.words li").allInnerTexts()).join(" ");
  const helped = keys.count();
  await anna.page.goto(`${server.url}/help`);
  await annaKeys.fill("input[name=username]", user.username);
  await annaKeys.fill("[name=words]", words);
  await anna.page.keyboard.press("Enter");
  await annaKeys.fill("input[name=password]", TEST_PASSWORD);
  await anna.page.keyboard.press("Enter");
  await anna.page.waitForURL(/help\/status/);
  expect(await context.store.q.$count(context.store.t.totpCredentials)).toBe(1);

  // She moves to another office, and leaves on the twelfth: the order of day and month is that of the browser.
  await page.goto(`${server.url}/manage/admin/people/${user.id}`);
  await keys.pressLink(page.locator(`a[href="/manage/admin/people/${user.id}/office"]`));
  await keys.choose("select", "Büro Köln");
  await keys.press("button", t("common.continue"));
  await keys.press("button", t("adminChange.office.submit"));
  await page.locator("[data-code=office-saved]").waitFor();
  await keys.pressLink(page.locator(`a[href="/manage/admin/people/${user.id}/last-day"]`));
  await keys.fill("input[type=date]", "12122099");
  await keys.press("button", t("adminChange.save"));
  await page.locator("[data-code=last-day-saved]").waitFor();
  const changed = (await context.store.q.select().from(context.store.t.users)).find(({ id }) => id === user.id);
  expect(changed).toMatchObject({ groupId: koeln.id, lastDay: "2099-12-12" });
  const total = keys.count();
  expect({ joined, helped: helped - joined, movedAndLeft: total - helped }).toEqual({
    joined: 6,
    helped: 4,
    movedAndLeft: 7,
  });
});
