import { afterAll, beforeAll, it } from "vitest";
import { plugIn } from "./support/factors.ts";
import { beginVisit, openScene, type Scene } from "./support/scene.ts";
import { opensSettings } from "./support/settings.ts";
let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.office.close());
it("key", async () => {
  const visit = await beginVisit(scene, { language: "en", expected: [/.*/] });
  const { page } = visit.anna;
  page.on("console", (m) => console.log("CONSOLE", m.text()));
  page.on("pageerror", (m) => console.log("PAGEERROR"));
  page.on("response", (r) => r.url().includes("/api/") && console.log("API", r.status(), r.url()));
  await plugIn(visit.anna, { isTouched: false });
  await opensSettings(visit, "/manage/mfa/register-fido2");
  await page.waitForTimeout(3000);
  console.log(await page.locator("html").evaluate((e) => e.outerHTML.slice(0, 600)));
  console.log(await page.locator("main").innerText());
  await page.screenshot({ path: "/tmp/s3-shots/key-en.png", fullPage: true });
  await visit.anna.close();
});
