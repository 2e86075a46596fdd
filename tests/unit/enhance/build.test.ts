import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildEnhance } from "../../../scripts/build-enhance.mjs";

const MAX_GZIP_BYTES = 2500;

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "enhance-"));
});

afterAll(() => rm(folder, { recursive: true }));

test("the script is small, is named after its content, and stands in the manifest", async () => {
  const outDir = join(folder, "assets");
  const manifestFile = join(folder, "enhance.json");
  const manifest = await buildEnhance({ outDir, manifestFile });
  expect(manifest).toEqual(await buildEnhance({ outDir, manifestFile }));
  expect(JSON.parse(await readFile(manifestFile, "utf8"))).toEqual(manifest);

  const [file = ""] = await readdir(outDir);
  expect(manifest).toEqual({ "enhance.js": `/assets/${file}` });
  expect(file).toMatch(/^enhance-[\w-]{10}\.js$/);

  const code = await readFile(join(outDir, file));
  expect(gzipSync(code).byteLength).toBeLessThan(MAX_GZIP_BYTES);
  expect(code.toString()).not.toMatch(/react|\bimport\b/i);
});
