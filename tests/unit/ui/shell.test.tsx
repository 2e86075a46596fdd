import { expect, test } from "vitest";
import { Footer } from "#app/ui/footer.tsx";
import { render } from "#tests/unit/routes/render.tsx";

test("the root element has the page's state, markup and quotes included", () => {
  const state = { error: "credentials", name: `"><script>alert('1')</script>&amp;` };
  const page = render(null, "en", state);
  expect(page.state()).toEqual(state);
  expect(page.all("script")).toEqual([]);
});

test("the footer always has the imprint, and other legal pages only where they are configured", () => {
  const footer = (links: Parameters<typeof Footer>[0]["links"]) =>
    render(<Footer links={links} currentPage={{ pathname: "/", search: "", state: {} }} />)
      .all("nav")[0]
      ?.text.split(" ");
  const imprint = "https://suite.example/imprint";
  expect(footer({ imprint, privacy: null, terms: null, sfdr: null })).toEqual(["Imprint"]);
  const all = footer({ imprint, privacy: "https://a.example", terms: "https://b.example", sfdr: "https://c.example" });
  expect(all?.join(" ")).toBe("Imprint Privacy Terms of use Sustainability disclosure");
});

test("the language link names the other language in itself", () => {
  expect(render(null, "en").one("a", { hreflang: "de", lang: "de" }).text).toBe("Deutsch");
  expect(render(null, "de").one("a", { hreflang: "en", lang: "en" }).text).toBe("English");
});

test("the first link of a page skips its header", () => {
  const page = render(null, "de");
  expect(page.all("a")[0]).toMatchObject({ attributes: { href: "#main" }, text: "Zum Hauptinhalt springen" });
});
