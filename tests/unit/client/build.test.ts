import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildEnhance } from "../../../scripts/build-client-script.mjs";

/** Limit of each script in bytes, compressed. */
const MAX_GZIP_BYTES = {
  "enhance.js": 2_500,
  "second-factor.js": 12_000,
  "own-key.js": 6_500,
  "keep.js": 1_200,
  "new-password.js": 2_500,
};

const NAMES = ["enhance.js", "second-factor.js", "own-key.js", "keep.js", "new-password.js"] as const;

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "enhance-"));
});

afterAll(() => rm(folder, { recursive: true }));

test("the scripts are named after their content, and stand in the manifest", async () => {
  const outDir = join(folder, "assets");
  const manifestFile = join(folder, "enhance.json");
  const manifest = await buildEnhance({ outDir, manifestFile });
  expect(manifest).toEqual(await buildEnhance({ outDir, manifestFile }));
  expect(JSON.parse(await readFile(manifestFile, "utf8"))).toEqual(manifest);
  expect(Object.keys(manifest)).toEqual(NAMES);
  for (const name of NAMES) {
    expect(manifest[name].replace(/-[\w-]{10}\.js$/, ".js")).toBe(`/assets/${name}`);
  }
  const files = Object.values(manifest).map((url) => url.replace("/assets/", ""));
  expect((await readdir(outDir)).sort()).toEqual(files.sort());
});

test.each(NAMES)("%s is small, whole, and knows no framework", async (name) => {
  const outDir = join(folder, name);
  const manifest = await buildEnhance({ outDir, manifestFile: join(folder, `${name}on`) });
  const code = await readFile(join(outDir, manifest[name].replace("/assets/", "")));
  expect(gzipSync(code).byteLength).toBeLessThan(MAX_GZIP_BYTES[name]);
  expect(code.toString()).not.toMatch(/\breact\b|\bimport\b|\brequire\(/i);
});
