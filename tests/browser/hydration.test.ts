import { expect, it } from "vitest";
import { openVisit, pageSetupOfFile } from "./support/page-setup.ts";
import { scriptsHaveRun } from "./support/pages.ts";
import { opensSettings, settingsPages } from "./support/settings-pages.ts";

const setup = await pageSetupOfFile();

/** Runs in the page: types continuously, one character per task, until the custom elements are defined, after hydration. */
function typeWithoutPause(field: string) {
  const channel = new MessageChannel();
  let typed = "";
  channel.port1.onmessage = () => {
    const input = document.getElementById(field);
    if (input instanceof HTMLInputElement) {
      input.focus();
      typed += "x";
      input.value = typed;
      input.dispatchEvent(new InputEvent("input", { bubbles: true, data: "x", inputType: "insertText" }));
      document.documentElement.dataset.typed = typed;
    }
    if (!customElements.get("show-password")) channel.port2.postMessage(null);
  };
  channel.port2.postMessage(null);
}

it("text that is typed during hydration is kept, without an error", async () => {
  // beginVisit fails the test at an unexpected error of the page.
  const visit = await openVisit(setup, {});
  const { anna } = visit;
  await opensSettings(visit, "/manage/credentials/password");
  const { next } = settingsPages(anna).password;
  const field = (await next.getAttribute("id")) ?? "";
  await anna.page.addInitScript(typeWithoutPause, field);
  for (let visits = 0; visits < 5; visits += 1) {
    await anna.page.reload();
    await scriptsHaveRun(anna);
    const typed = await anna.page.locator("html").getAttribute("data-typed");
    expect(typed?.length).toBeGreaterThan(1);
    expect(await next.inputValue()).toBe(typed);
  }
  await anna.close();
});
