import { expect, it } from "vitest";
import { renderFormPostPage } from "#app/middleware/form-post-page.server.ts";
import { readPage } from "#tests/support/html.ts";

const CONFIG = { issuer: "https://id.example", productName: "Mutex & <b>House</b>" };
const PARTS = {
  script: "<script>document.forms[0].submit()</script>",
  form: '<form method="post" action="https://app.example/callback"><input type="hidden" name="code" value="&quot;1"/>',
  language: null,
};

it("the page that posts an answer keeps the engine's script and form to the letter", async () => {
  const page = await renderFormPostPage(CONFIG, { headers: {}, originalUrl: "/oauth2/auth" }, PARTS);
  expect(page).toContain(PARTS.script);
  const [form, ...others] = readPage(page).forms();
  expect(others).toEqual([]);
  expect(form).toMatchObject({ method: "post", action: "https://app.example/callback" });
  expect(form?.fields).toEqual([["code", '"1']]);
});

it("the page that posts an answer shows the product's name as text", async () => {
  const page = await renderFormPostPage(CONFIG, { headers: {}, originalUrl: "/oauth2/auth" }, PARTS);
  expect(page).toContain("<title>Back to the application | Mutex &amp; &lt;b&gt;House&lt;&#x2F;b&gt;</title>");
});

it("the page that posts an answer speaks the language that was chosen before", async () => {
  const headers = { cookie: "i18next=de", "accept-language": "en" };
  const page = await renderFormPostPage(CONFIG, { headers, originalUrl: "/oauth2/auth/abc" }, PARTS);
  expect(page).toContain('<html lang="de">');
});
