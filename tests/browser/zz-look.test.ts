import { afterAll, beforeAll, it } from "vitest";
import { beginVisit, openScene, type Scene } from "./support/scene.ts";
import { STATES } from "./support/states.ts";
let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.office.close());
const wanted = new RegExp(process.env.WANT ?? "^settings");
for (const state of STATES.filter(({ name }) => wanted.test(name))) {
  it(state.name, async () => {
    const de = process.env.LANG_ === "de";
    const visit = await beginVisit(scene, { language: de ? "de" : "en", expected: [/.*/] });
    await state.reach(visit);
    const slug = state.name.replace(/[^a-z]+/gi, "-");
    const { page } = visit.anna;
    await page.waitForTimeout(700);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.screenshot({ path: `/tmp/s3-shots/${slug}-w.png`, fullPage: true });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot({ path: `/tmp/s3-shots/${slug}-n.png`, fullPage: true });
    await visit.anna.close();
  });
}
