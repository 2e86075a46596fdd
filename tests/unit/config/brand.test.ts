import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { contrastOf, GROUNDS } from "#app/config/accent.server.ts";
import { readConfig } from "#app/config/read.server.ts";
import { ROOT } from "#tests/support/source-tree.ts";
import { MINIMAL } from "./minimal-environment.ts";

function read(env: Record<string, string>) {
  const result = readConfig({ ...MINIMAL, ...env });
  if (result.ok) return { config: result.config, wrong: null };
  expect(result.mistakes).toHaveLength(1);
  return { config: null, wrong: result.mistakes[0]?.wrong ?? "" };
}

function readLogo(content: string | Buffer) {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-logo-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "logo");
  writeFileSync(file, content);
  const { config, wrong } = read({ LOGO_FILE: file });
  return config?.logo ?? wrong?.replace(JSON.stringify(file), "FILE");
}

function svg(content: string, attributes = ""): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"${attributes}>${content}</svg>`;
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0], 8);
  const rows = deflateSync(Buffer.alloc(64));
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
}

describe("ACCENT_COLOR", () => {
  it.each(["#1d4f91", "#000000", "#0F5C4D", "#8a1538", "#5b2c83", "#4d5358", "#0000ff"])(
    "%s gives readable colours for light and dark",
    (colour) => {
      const { config } = read({ ACCENT_COLOR: colour });
      const accent = config?.accent;
      if (!accent) throw new Error("no accent");
      const { light, dark } = accent;
      expect(light.brand).toBe(colour.toLowerCase());
      for (const { brand, hover, onBrand } of [light, dark]) {
        expect(hover).not.toBe(brand);
        expect(contrastOf(onBrand, brand)).toBeGreaterThanOrEqual(4.5);
        expect(contrastOf(onBrand, hover)).toBeGreaterThanOrEqual(4.5);
      }
      expect(contrastOf(light.brand, GROUNDS.light)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(light.brand, "#ffffff")).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(dark.brand, GROUNDS.darkSheet)).toBeGreaterThanOrEqual(4.5);
      expect(contrastOf(dark.brand, GROUNDS.darkPage)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each(["#ffcc00", "#ff6600", "#00a0e3", "#ffffff", "#7f7f7f", "#00ff00", "#ff3030"])(
    "%s is refused with the nearest colour, which is accepted",
    (colour) => {
      const { wrong } = read({ ACCENT_COLOR: colour });
      expect(wrong).toMatch(/^is "#\w{6}", which has a contrast of \d\.\d to 1 on light pages; the nearest /);
      const nearest = /is (#[0-9a-f]{6})$/.exec(wrong ?? "")?.[1] ?? "";
      expect(read({ ACCENT_COLOR: nearest }).config?.accent?.light.brand).toBe(nearest);
      // No needless change: the next step towards the refused colour would fail or is less than one of 255.
      expect(contrastOf(nearest, GROUNDS.light)).toBeLessThan(4.65);
    },
  );

  it.each(["1d4f91", "#1d4", "#1d4f9g", "#1d4f91ff", "blue", "rgb(0,0,0)", "#1d4f91;}", " #1d4f91"])(
    "%s is not a colour",
    (text) => {
      expect(read({ ACCENT_COLOR: text }).wrong).toContain("is not a colour of the form #rrggbb");
    },
  );

  it("is checked against the grounds of the style sheet", () => {
    const css = readFileSync(join(ROOT, "app/styles/tokens.css"), "utf8");
    const [light = "", dark = ""] = css.split("@media screen and (prefers-color-scheme: dark)");
    expect(light).toContain(`--paper: ${GROUNDS.light};`);
    expect(dark).toContain(`--card: ${GROUNDS.darkSheet};`);
    expect(dark).toContain(`--paper: ${GROUNDS.darkPage};`);
  });
});

describe("LOGO_FILE", () => {
  it("is recognised by its content, with a hash", () => {
    const xml = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- Generator: an editor -->\n';
    // Harmless, though a pattern would find words in it.
    const comment = '<!-- onload="x" <script> --><g xmlns:once="https://editor.example/"/>';
    const style = "<style>path{fill:url(#g)} @media (prefers-color-scheme: dark){path{fill:#fff}}</style>";
    const drawing = `${xml}${svg(`<title>Müller &amp; Söhne</title>${comment}${style}<use href="#a"/>`)}\n`;
    expect(readLogo(drawing)).toEqual({
      type: "image/svg+xml",
      content: Buffer.from(drawing),
      hash: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(readLogo(`\uFEFF${drawing}`)).toMatchObject({ type: "image/svg+xml" });
    expect(readLogo(png(200, 56))).toMatchObject({ type: "image/png" });
  });

  // Proves requirement 157.
  it.each([
    ["a script", svg("<script>alert(1)</script>"), "contains a script"],
    ["a script with a prefix", svg('<s:script xmlns:s="http://www.w3.org/2000/svg"/>'), "contains a script"],
    ["an event attribute", svg("", ' onload="alert(1)"'), "contains an event attribute"],
    ["an event attribute after a slash", svg('<path/onclick="x()"/>'), "is not well-formed"],
    ["an event attribute with a prefix", svg('<path x:onclick="x()" xmlns:x="x"/>'), "contains an event attribute"],
    ["an event attribute in capitals", svg("", "\nONLOAD = 'x()'"), "contains an event attribute"],
    [
      "a reference to another file",
      svg('<use href="https://evil.example/x.svg#a"/>'),
      "contains a reference to another file",
    ],
    ["a reference without quotes", svg("<use href=//evil.example/x />"), "is not well-formed"],
    [
      "a script URL",
      svg('<use xlink:href="javascript:alert(1)" xmlns:xlink="http://www.w3.org/1999/xlink"/>'),
      "contains a reference to another file",
    ],
    ["a link", svg('<a href="#x"/>'), "a link"],
    ["an embedded image", svg('<image href="#x"/>'), "contains an embedded image"],
    ["foreign content", svg("<foreignObject><p>x</p></foreignObject>"), "foreign content"],
    ["an animation of an attribute", svg('<set attributeName="href" to="#x"/>'), "an animation"],
    ["a style from another file", svg("<style>@import '//evil.example/x.css'</style>"), "contains a style"],
    ["a style with a URL", svg('<path style="fill:url( https://evil.example/x )"/>'), "contains a style"],
    ["an escaped style", svg("<style>path{fill:u\\72l(//evil.example)}</style>"), "contains a backslash"],
    ["a hidden reference", svg('<path style="fill:u&#114;l(//evil.example)"/>'), "character or entity reference"],
    ["a DOCTYPE", `<!DOCTYPE svg>${svg("")}`, "contains a DOCTYPE"],
    [
      "an external entity",
      `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>${svg("&x;")}`,
      "character or entity reference",
    ],
    ["an entity that it does not use", `<!DOCTYPE svg [<!ENTITY x "y">]>${svg("")}`, "contains a DOCTYPE"],
    ["CDATA", svg("<style><![CDATA[path{}]]></style>"), "CDATA"],
    ["a style sheet", `<?xml-stylesheet href="#x"?>${svg("")}`, "contains a processing instruction"],
    [
      "an encoding that hides a script",
      `<?xml version="1.0" encoding="ISO-2022-JP"?>${svg("<scr\x1b(Bipt>alert(1)</scr\x1b(Bipt>")}`,
      "declares another encoding",
    ],
    ["HTML in it", svg('<h:form xmlns:h="http://www.w3.org/1999/xhtml" action="//evil.example"/>'), "contains HTML"],
    ["copies of copies", svg('<g id="a"><use href="#b"/></g>'.repeat(21)), "contains more than 20 copies"],
    ["HTML around it", `<html>${svg("")}</html>`, "is not one <svg"],
    [
      "a style with a comment in a word",
      svg("<style>@im<!-- -->port '//evil.example/x.css'</style>"),
      "contains a style",
    ],
    ["two roots", `${svg("")}${svg("")}`, "is not well-formed (1:69: documents may contain only one root)"],
    ["text after it", `${svg("")}x`, "is not well-formed"],
    ["an unclosed tag", svg("<g>"), "is not well-formed (1:67: unexpected close tag)"],
    ["a missing end", '<svg xmlns="http://www.w3.org/2000/svg"><g/>', "is not well-formed"],
    ["an attribute without quotes", svg("<path d=M0/>"), "is not well-formed (1:67: unquoted attribute value)"],
    ["an attribute twice", svg('<path d="" d=""/>'), "is not well-formed"],
    [
      "an unknown prefix",
      svg('<use xlink:href="#a"/>'),
      'is not well-formed (1:80: unbound namespace prefix: "xlink")',
    ],
    ["a bare &", svg("<title>Müller & Söhne</title>"), "character or entity reference"],
    ["a control character", svg("<title>\u0001</title>"), "is not well-formed"],
    ["text before its declaration", `\n<?xml version="1.0"?>${svg("")}`, "is not well-formed"],
    ["XML 1.1", `<?xml version="1.1"?>${svg("")}`, "declares another version of XML"],
    ["UTF-16", Buffer.concat([Buffer.from(svg("")), Buffer.from([0xff, 0xfe])]), "is not in UTF-8"],
  ])("an SVG with %s is refused with what to do", (_what, content, wrong) => {
    expect(readLogo(content)).toMatch(/^is FILE, which .*(; |: |is not )/);
    expect(readLogo(content)).toContain(wrong);
  });

  it.each([
    ["too small", png(200, 27), "is FILE, which has 200 × 27 pixels; scale it"],
    ["too wide", png(1025, 56), "is FILE, which has 1025 × 56 pixels; scale it"],
    ["cut off", png(200, 56).subarray(0, -5), "is FILE, which is damaged; export it again"],
    [
      "followed by other data",
      Buffer.concat([png(200, 56), Buffer.from("<script>")]),
      "is FILE, which is damaged; export it again",
    ],
    ["only a signature", png(200, 56).subarray(0, 8), "is FILE, which is damaged; export it again"],
  ])("a PNG that is %s is refused", (_what, content, wrong) => {
    expect(readLogo(content)).toBe(wrong);
  });

  it("any other file is refused", () => {
    expect(readLogo("GIF89a")).toBe("is neither an SVG nor a PNG file: FILE");
    expect(readLogo(`${svg("")}${" ".repeat(64 * 1024)}`)).toBe("is FILE, which has 65 KB");
    expect(read({ LOGO_FILE: "/missing/logo.svg" }).wrong).toBe('cannot be read from "/missing/logo.svg" (ENOENT)');
    expect(read({ LOGO_FILE: "/dev/zero" }).wrong).toBe('is not a file: "/dev/zero"');
  });
});
