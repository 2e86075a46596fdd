import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildClientScript } from "../../../scripts/build-client-script.mjs";

/** Limit of the script in bytes, compressed. */
const MAX_GZIP_BYTES = 12_288;

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "client-script-"));
});

afterAll(() => rm(folder, { recursive: true }));

test("the script is named after its content, small, complete, and contains no framework", async () => {
  const url = await buildClientScript({ outDir: folder });
  expect(url).toMatch(/^\/assets\/client-[\w-]{10}\.js$/);
  expect(await buildClientScript({ outDir: folder })).toBe(url);
  expect(await readdir(folder)).toEqual([basename(url)]);
  const code = await readFile(join(folder, basename(url)));
  expect(gzipSync(code).byteLength).toBeLessThan(MAX_GZIP_BYTES);
  expect(code.toString()).not.toMatch(/\breact\b|\bimport\b|\brequire\(/i);
});
