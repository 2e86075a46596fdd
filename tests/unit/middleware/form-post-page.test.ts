import { expect, it } from "vitest";
import { renderFormPostPage } from "#app/middleware/render-form-post-page.server.ts";
import { readPage } from "#tests/support/html.ts";

const CONFIG = { issuer: "https://id.example", productName: "Mutex & <b>House</b>", defaultLanguage: "en" as const };
const PARTS = {
  script: "<script>document.forms[0].submit()</script>",
  form: '<form method="post" action="https://app.example/callback"><input type="hidden" name="code" value="&quot;1"/>',
  language: null,
};

it("the form_post page contains the engine's script and form unchanged", async () => {
  const page = await renderFormPostPage(CONFIG, { headers: {}, originalUrl: "/oauth2/auth" }, PARTS);
  expect(page).toContain(PARTS.script);
  const [form, ...others] = readPage(page).forms();
  expect(others).toEqual([]);
  expect(form).toMatchObject({ method: "post", action: "https://app.example/callback" });
  expect(form?.fields).toEqual([["code", '"1']]);
});

it("the form_post page shows the product's name as text", async () => {
  const page = await renderFormPostPage(CONFIG, { headers: {}, originalUrl: "/oauth2/auth" }, PARTS);
  expect(page).toContain("<title>Back to the application | Mutex &amp; &lt;b&gt;House&lt;&#x2F;b&gt;</title>");
});

it("the form_post page uses the stored language", async () => {
  const headers = { cookie: "i18next=de", "accept-language": "en" };
  const page = await renderFormPostPage(CONFIG, { headers, originalUrl: "/oauth2/auth/abc" }, PARTS);
  expect(page).toContain('<html lang="de">');
});
